import { hostileTexts } from '../../testing/fixtures/hostile-texts.js';
import type { Attack } from '../attack.js';
import { MAX_CHARACTERS } from '../texts.js';
import { hostileShapes } from './hostile-shapes.js';

const TEXTS = 160;
const SHORT = 12;
/** The minimum of inputs, also on a busy machine. */
const MIN_INPUTS = 50;
const MIN_SHORT_INPUTS = 5;
/** The short form sends one of this many shapes. */
const SHAPES_ONE_IN = 4;
const SLOW_MS = 100;
const SHOWN = 30;
const MAX_SHOWN = 12;

/** Sends one input at a time, so that each time is that of one input. */
export const hostileInputs: Attack = {
  name: 'hostile-inputs',
  about: '200 hostile texts and JSON shapes, one at a time, each accepted or rejected within 100 ms',
  tenants: 6,
  async run(attacker) {
    const texts = hostileTexts(attacker.isShort ? SHORT : TEXTS, MAX_CHARACTERS, 9);
    const shapes = hostileShapes().filter((_, n) => !attacker.isShort || n % SHAPES_ONE_IN === 0);
    const bodies = [...shapes, ...texts.map((content) => JSON.stringify({ content }))];
    attacker.ready();
    const slow: { ms: number; shown: string }[] = [];
    let count = 0;
    for (const [n, body] of bodies.entries()) {
      const token = attacker.tenants[n % attacker.tenants.length]?.token ?? '';
      const startedAt = performance.now();
      const answer = await attacker.send('POST', '/api/memories', { body, token });
      const ms = performance.now() - startedAt;
      if (attacker.signal.aborted) break;
      count += 1;
      const shown = `${Math.round(ms)} ms, ${answer?.status ?? 'no answer'}: ${escaped(body.slice(0, SHOWN))}`;
      if (ms > SLOW_MS) slow.push({ ms, shown });
    }
    attacker.tally.reached(count, attacker.isShort ? MIN_SHORT_INPUTS : MIN_INPUTS, 'inputs');
    attacker.tally.note(`${slow.length} of ${count} inputs took longer than ${SLOW_MS} ms; the slowest were:`);
    slow.sort((one, other) => other.ms - one.ms);
    for (const { shown } of slow.slice(0, MAX_SHOWN)) attacker.tally.note(shown);
  },
};

function escaped(text: string): string {
  return text.replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
