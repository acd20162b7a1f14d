import type { Attack } from '../attack.js';
import { hostileBodies, SLOW_MS } from '../hostile-bodies.js';

const SHORT_TEXTS = 12;
/** The minimum of inputs, also on a busy machine. */
const MIN_INPUTS = 50;
const MIN_SHORT_INPUTS = 5;
/** The short form sends one of this many shapes. */
const SHAPES_ONE_IN = 4;
const MAX_SHOWN = 12;

/** Sends one input at a time, so that each time is that of one input. */
export const hostileInputs: Attack = {
  name: 'hostile-inputs',
  about: '200 hostile texts and JSON shapes, one at a time, each accepted or rejected within 100 ms',
  tenants: 6,
  async run(attacker) {
    const bodies = attacker.isShort ? hostileBodies(SHORT_TEXTS, SHAPES_ONE_IN) : hostileBodies();
    attacker.ready();
    const slow: { ms: number; shown: string }[] = [];
    let count = 0;
    for (const [n, { name, body }] of bodies.entries()) {
      const token = attacker.tenants[n % attacker.tenants.length]?.token ?? '';
      const startedAt = performance.now();
      const answer = await attacker.send('POST', '/api/memories', { body, token });
      const ms = performance.now() - startedAt;
      if (attacker.signal.aborted) break;
      count += 1;
      if (ms > SLOW_MS) slow.push({ ms, shown: `${Math.round(ms)} ms, ${answer?.status ?? 'no answer'}: ${name}` });
    }
    attacker.tally.reached(count, attacker.isShort ? MIN_SHORT_INPUTS : MIN_INPUTS, 'inputs');
    attacker.tally.note(`${slow.length} of ${count} inputs took longer than ${SLOW_MS} ms; the slowest were:`);
    slow.sort((one, other) => other.ms - one.ms);
    for (const { shown } of slow.slice(0, MAX_SHOWN)) attacker.tally.note(shown);
  },
};
