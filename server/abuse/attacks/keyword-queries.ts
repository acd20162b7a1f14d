import { Corpus } from '../../bench/corpus.js';
import type { Attack } from '../attack.js';
import { head } from '../attacker.js';
import { storeBatches } from '../target.js';

const WORDS = 1_400;
const LOOPS = 4;
const ABANDONED = 4;
const ABANDON_AFTER_MS = 100;

export const keywordQueries: Attack = {
  name: 'keyword-queries',
  about: 'keyword searches of 1,400 words among 20,000 memories, four read and four abandoned at any time',
  async prepare([client], isShort) {
    if (client) await storeBatches(client, new Corpus(3).take(isShort ? 2_000 : 20_000));
  },
  async run(attacker) {
    const corpus = new Corpus(3);
    const words = [...new Set(corpus.take(1_000).flatMap(({ content }) => content.split(/[ .]/)))].slice(0, WORDS);
    const body = { query: words.join(' '), mode: 'keyword', limit: 50 };
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
  },
};
