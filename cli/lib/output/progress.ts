const CLEAR_LINE = '\r\u001b[K';
const BAR_WIDTH = 40;
/** Time between two drawings. More of them would only slow the command. */
const REDRAW_MS = 100;

/** Shows the progress of a long command in the last line of standard error, if it is a terminal. */
export class Progress implements Disposable {
  readonly #stream: Pick<NodeJS.WriteStream, 'write'> | undefined;
  readonly #unit: string;
  readonly #total: number | undefined;
  #value = 0;
  #drawnAt = Number.NEGATIVE_INFINITY;

  /** @param total undefined if unknown */
  constructor(
    unit: string,
    total: number | undefined,
    isWatched: boolean,
    stream: Pick<NodeJS.WriteStream, 'write'> = process.stderr,
  ) {
    this.#stream = isWatched ? stream : undefined;
    this.#unit = unit;
    this.#total = total;
    this.#draw();
  }

  at(value: number): void {
    this.#value = value;
    if (performance.now() - this.#drawnAt >= REDRAW_MS) this.#draw();
  }

  /** Prints lines above the progress. */
  above(print: () => void): void {
    this.#stream?.write(CLEAR_LINE);
    print();
    this.#draw();
  }

  [Symbol.dispose](): void {
    this.#stream?.write(CLEAR_LINE);
  }

  #draw(): void {
    this.#stream?.write(`${CLEAR_LINE}${progressText(this.#value, this.#total, this.#unit)}`);
    this.#drawnAt = performance.now();
  }
}

/** Formats the progress in one line. */
export function progressText(value: number, total: number | undefined, unit: string): string {
  if (total === undefined) return `${value} ${unit}`;
  const share = total === 0 ? 1 : Math.min(1, value / total);
  const bar = '='.repeat(Math.round(share * BAR_WIDTH)).padEnd(BAR_WIDTH, '-');
  return `${bar} ${Math.floor(share * 100)} %  ${value} of ${total} ${unit}`;
}
