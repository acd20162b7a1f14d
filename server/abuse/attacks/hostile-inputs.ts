import { hostileTexts } from '../../testing/fixtures/hostile-texts.js';
import type { Attack } from '../attack.js';
import { MOST_CHARACTERS } from '../texts.js';
import { hostileShapes } from './hostile-shapes.js';

const TEXTS = 160;
const SHORT = 48;
const SLOW_MS = 100;
const SHOWN = 44;

/** One at a time, so that the time of each is its own. */
export const hostileInputs: Attack = {
  name: 'hostile-inputs',
  about: '200 hostile texts and JSON shapes, one at a time, each answered or refused within 100 ms',
  tenants: 6,
  async run(attacker) {
    const texts = hostileTexts(TEXTS, MOST_CHARACTERS, 9).map((content) => JSON.stringify({ content }));
    const all = [...hostileShapes(), ...texts];
    const bodies = attacker.isShort ? all.filter((_, n) => n % Math.ceil(all.length / SHORT) === 0) : all;
    let slow = 0;
    let count = 0;
    for (const [n, body] of bodies.entries()) {
      if (attacker.signal.aborted) break;
      const token = attacker.tenants[n % attacker.tenants.length]?.token ?? '';
      const startedAt = performance.now();
      const answer = await attacker.send('POST', '/api/memories', { body, token });
      const ms = performance.now() - startedAt;
      if (attacker.signal.aborted) break;
      count += 1;
      if (ms <= SLOW_MS) continue;
      slow += 1;
      attacker.tally.note(`${Math.round(ms)} ms, ${answer?.status ?? 'no answer'}: ${escaped(body.slice(0, SHOWN))}`);
    }
    attacker.tally.note(`${slow} of ${count} inputs took longer than ${SLOW_MS} ms`);
  },
};

function escaped(text: string): string {
  return text.replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
