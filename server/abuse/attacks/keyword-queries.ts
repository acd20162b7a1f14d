import { Corpus } from '../../bench/corpus.js';
import type { Attack } from '../attack.js';
import { head } from '../attacker.js';
import { storeBatches } from '../target.js';

const WORDS = 1_400;
const QUERY_CHARACTERS = 8_192;
const LOOPS = 4;
const ABANDONED = 4;
const ABANDON_AFTER_MS = 100;

export const keywordQueries: Attack = {
  name: 'keyword-queries',
  about: 'keyword searches of 1,400 words among 20,000 memories, four read and four abandoned at any time',
  async prepare([client], isShort) {
    if (client) await storeBatches(client, new Corpus(3).take(isShort ? 1_000 : 20_000));
  },
  async run(attacker) {
    const body = { query: longQuery(), mode: 'keyword', limit: 50 };
    const text = JSON.stringify(body);
    const request = head(
      'POST /api/memories/search',
      {
        authorization: `Bearer ${attacker.token}`,
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(text),
      },
      text,
    );
    const abandon = async () => {
      while (!attacker.signal.aborted) {
        const socket = attacker.socket(request);
        await attacker.pause(ABANDON_AFTER_MS);
        socket.destroy();
      }
    };
    await Promise.all([
      attacker.repeat(LOOPS, () => attacker.send('POST', '/api/memories/search', { body })),
      ...Array.from({ length: ABANDONED }, abandon),
    ]);
    attacker.tally.reached(attacker.tally.answered(200), LOOPS, 'searches');
  },
};

/** Returns the shortest words of the memories, as many as a query may contain. */
function longQuery(): string {
  const words = new Set(new Corpus(3).take(2_000).flatMap(({ content }) => content.split(/[ .]/)));
  const shortest = [...words].sort((one, other) => one.length - other.length).slice(0, WORDS);
  return shortest.join(' ').slice(0, QUERY_CHARACTERS);
}
