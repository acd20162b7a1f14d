import { SingleBar } from 'cli-progress';

/** Shows the progress of a long command on standard error, if it is a terminal. */
export class Progress implements Disposable {
  readonly #bar: SingleBar | undefined;

  /** @param total undefined if unknown */
  constructor(unit: string, total: number | undefined, isWatched: boolean) {
    if (!isWatched) return;
    const format = total === undefined ? `{value} ${unit}` : `{bar} {percentage} %  {value} of {total} ${unit}`;
    this.#bar = new SingleBar({ clearOnComplete: true, format, stream: process.stderr });
    this.#bar.start(total ?? 0, 0);
  }

  at(value: number): void {
    this.#bar?.update(value);
  }

  [Symbol.dispose](): void {
    this.#bar?.stop();
  }
}
