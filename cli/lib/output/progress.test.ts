import { expect, test } from 'vitest';
import { Progress, progressText } from './progress.js';

class Screen {
  written = '';

  write(text: string): boolean {
    this.written += text;
    return true;
  }

  /** Returns the lines that a terminal shows. */
  get lines(): string[] {
    return this.written.split('\n').map((line) => line.split('\r\u001b[K').at(-1) ?? '');
  }
}

test('shows the share of a known total, and only the count of an unknown one', () => {
  expect(progressText(1, 4, 'entries')).toBe(`${'='.repeat(10)}${'-'.repeat(30)} 25 %  1 of 4 entries`);
  expect(progressText(0, 0, 'entries')).toMatch(/^=+ 100 %/);
  expect(progressText(7, undefined, 'entries')).toBe('7 entries');
});

test('removes itself at the end, and keeps the lines that are printed above it', () => {
  const screen = new Screen();
  {
    using progress = new Progress('entries', 2, true, screen);
    progress.above(() => void screen.write('waiting\n'));
    progress.at(2);
  }
  screen.write('2 entries\n');

  expect(screen.lines).toEqual(['waiting', '2 entries', '']);
});

test('shows nothing if nobody watches, but prints the lines', () => {
  const screen = new Screen();
  {
    using progress = new Progress('entries', 2, false, screen);
    progress.above(() => void screen.write('waiting\n'));
  }

  expect(screen.written).toBe('waiting\n');
});
