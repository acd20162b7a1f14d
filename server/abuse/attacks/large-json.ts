import type { Attack } from '../attack.js';

const MEBIBYTE = 1_048_576;
const ACCEPT = { accept: 'application/json, text/event-stream' };

export const largeJson: Attack = {
  name: 'large-json',
  about: '30 MB of empty objects to /mcp, ten million empty items as a batch, two million unknown keys',
  async run(attacker) {
    const empty = `${'{},'.repeat(10 * MEBIBYTE)}{}`;
    const keys = Array.from({ length: 2_000_000 }, (_, n) => `"k${n}":0`).join(',');
    const requests = [
      ['/mcp', `[${empty}]`],
      ['/api/memories/batch', `{"items":[${empty}]}`],
      ['/api/memories', `{"content":"a",${keys}}`],
      ['/api/memories/batch', `{"items":[{"content":"a"}],${keys}}`],
      ['/mcp', `[${'{},'.repeat(0.6 * MEBIBYTE)}{}]`],
    ] as const;
    attacker.ready();
    await attacker.repeat(2, (n) => {
      const [path, body] = requests[n % requests.length] ?? requests[0];
      return attacker.send('POST', path, { body, headers: ACCEPT });
    });
    attacker.tally.reached(attacker.tally.taken, 2, 'bodies that were accepted');
  },
};
