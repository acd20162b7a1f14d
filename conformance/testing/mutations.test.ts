import { describe, expect, test } from 'vitest';
import { catalogue } from '../run/catalogue.js';
import { Contract } from '../transport/contract.js';
import { kindFor } from './deployment.js';
import { fileDeployments, runCheck } from './deployments.js';
import { body, broken, type Fault, memories, on, overlooks, pretends, sending, status } from './fault.js';

const contract = Contract.load();
const deploymentOf = fileDeployments();

/** The token that is sent first, in place of every later one: all organizations are one. */
function oneTenant(): Fault {
  let first: string | undefined;
  return sending(({ headers }) => {
    first ??= headers.authorization;
    if (headers.authorization && first) headers.authorization = first;
  });
}

/** Faults of a whole deployment, and the checks that must each detect them. */
const MUTATIONS: Readonly<Record<string, { fault: () => Fault; caughtBy: readonly string[] }>> = {
  'fields are dropped': {
    fault: () =>
      on(
        '* /api/memories**',
        body((json) => delete json.metadata),
      ),
    caughtBy: [
      'get-returns-record',
      'ingest-returns-metadata',
      'upsert-replay-merges-metadata',
      'update-merges-metadata',
    ],
  },
  'a creation is answered with 200': {
    fault: () => on('* /api/memories', status(201, 200)),
    caughtBy: ['ingest-created-201', 'upsert-created-201', 'content-of-maximal-length', 'upsert-scope-source'],
  },
  'filters are ignored': {
    fault: () => on('* /api/memories/**', overlooks('filter')),
    caughtBy: ['filter-by-kind', 'filter-in-search', 'filter-in-export', 'filter-in-stats', 'filter-in-changes'],
  },
  'deletes do not delete': {
    fault: () => on('DELETE /api/memories/*', pretends(204)),
    caughtBy: ['delete-hides-from-recent', 'delete-hides-from-search', 'delete-twice-404', 'get-deleted-404'],
  },
  'cursors skip': {
    fault: () =>
      on(
        'GET /api/memories/**',
        memories((list, { query }) => (query.has('cursor') ? list.slice(1) : list)),
      ),
    caughtBy: ['changes-pages-are-whole', 'export-pages-are-whole', 'race-of-writers-and-feed'],
  },
  'replays duplicate': {
    fault: () =>
      on(
        '* /api/memories',
        sending(({ body: sent }) => {
          sent.content = `${String(sent.content)} ${Math.random()}`;
        }),
      ),
    caughtBy: ['ingest-replay-200', 'ingest-replay-same-memory', 'upsert-replay-200', 'race-of-equal-ingests'],
  },
  'tenants leak': {
    fault: oneTenant,
    caughtBy: ['get-foreign-404', 'isolation-of-recent', 'isolation-of-search', 'isolation-of-changes'],
  },
};

const CASES = Object.entries(MUTATIONS).flatMap(([name, { fault, caughtBy }]) =>
  caughtBy.map((id) => ({ name, id, fault })),
);

describe('a deployment in which', () => {
  test.each(CASES)('$name is found out by $id', async ({ id, fault }) => {
    const check = catalogue.find((candidate) => candidate.id === id);
    if (!check) throw new Error(`there is no check ${id}`);
    const { target } = await deploymentOf(kindFor(check));
    const proxied = target(contract, { through: (transport) => broken(transport, fault()), patienceMs: 1_000 });

    const failure = await runCheck(check, proxied).then(
      () => 'it passed',
      (error: unknown) => error,
    );

    expect(failure).toBeInstanceOf(Error);
  });
});
