import type { Attack } from '../attack.js';

const CLIENTS = 100;
const PATHS = ['/openapi.json', '/openapi.yaml'];

export const contractReaders: Attack = {
  name: 'contract-readers',
  about: '100 clients without a credential that read the contract without a pause',
  async run(attacker) {
    await attacker.repeat(CLIENTS, (n) => attacker.send('GET', PATHS[n % PATHS.length] ?? '', { token: null }));
    attacker.tally.reached(attacker.tally.answered(200), CLIENTS, 'answers');
  },
};
