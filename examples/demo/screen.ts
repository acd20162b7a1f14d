import { styleText } from 'node:util';
import cliProgress from 'cli-progress';

type Style = 'plain' | 'strong' | 'faint' | 'good' | 'bad';

const FORMATS = { strong: 'bold', faint: 'dim', good: 'green', bad: 'red' } as const;
const MAX_WIDTH = 110;
const PIPED_WIDTH = 100;

/** Prints with colours and a progress bar on a terminal, in plain lines elsewhere. */
export class Screen {
  /** Characters per line. */
  readonly width: number;
  private readonly hasColors: boolean;

  constructor(private readonly stream: NodeJS.WriteStream) {
    this.hasColors = stream.isTTY && stream.hasColors();
    this.width = stream.isTTY ? Math.min(stream.columns || PIPED_WIDTH, MAX_WIDTH) : PIPED_WIDTH;
  }

  print(line = ''): void {
    this.stream.write(`${line}\n`);
  }

  style(style: Style, text: string): string {
    return this.hasColors && style !== 'plain' ? styleText(FORMATS[style], text) : text;
  }

  /** Shows progress up to `total`. The caller must end it, even if the work fails. */
  progress(total: number, noun: string): Progress {
    return this.stream.isTTY ? new BarProgress(this.stream, total, noun) : new LineProgress(this, total, noun);
  }
}

export interface Progress extends Disposable {
  advance(count: number): void;
}

class BarProgress implements Progress {
  private readonly bar: cliProgress.SingleBar;

  constructor(stream: NodeJS.WriteStream, total: number, noun: string) {
    this.bar = new cliProgress.SingleBar(
      { format: `  {bar} {percentage} %  {value} of {total} ${noun}`, barsize: 30, hideCursor: true, stream },
      cliProgress.Presets.shades_classic,
    );
    this.bar.start(total, 0);
  }

  advance(count: number): void {
    this.bar.increment(count);
  }

  [Symbol.dispose](): void {
    this.bar.stop();
  }
}

class LineProgress implements Progress {
  private done = 0;
  private told = 0;

  constructor(
    private readonly screen: Screen,
    private readonly total: number,
    private readonly noun: string,
  ) {}

  advance(count: number): void {
    this.done += count;
    const quarters = Math.floor((4 * this.done) / this.total);
    if (quarters === this.told) return;
    this.told = quarters;
    this.screen.print(`  ${quarters * 25} %  ${this.done} of ${this.total} ${this.noun}`);
  }

  [Symbol.dispose](): void {
    // Nothing to end: each line is complete.
  }
}
