import { afterAll, describe, expect, test } from 'vitest';
import { catalogue } from './catalogue.js';
import { PrerequisiteError } from './check.js';
import { Contract } from './contract.js';
import { type Deployment, type DeploymentKind, kindFor, startDeployment } from './testing/deployment.js';
import { broken } from './testing/fault.js';
import { faults } from './testing/faults/index.js';

const contract = Contract.load();
const deployments = new Map<DeploymentKind, Promise<Deployment>>();

/** One of each kind for all tests: checks keep apart what they write. */
function deployment(kind: DeploymentKind): Promise<Deployment> {
  const running = deployments.get(kind) ?? startDeployment(kind);
  deployments.set(kind, running);
  return running;
}

afterAll(async () => {
  for (const running of deployments.values()) await (await running)[Symbol.asyncDispose]();
});

test('no two checks share an id', () => {
  const ids = catalogue.map(({ id }) => id);

  expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([]);
});

describe('this service', () => {
  test.each(catalogue)('passes $id', async (check) => {
    const { target } = await deployment(kindFor(check));

    await check.run(target(contract));
  });

  test.each(catalogue.filter(({ needs }) => needs?.includes('subject-keys')))(
    'passes $id where subject keys are integers',
    async (check) => {
      const { target } = await deployment('integer');

      await check.run(target(contract));
    },
  );
});

describe('a broken deployment', () => {
  test('is there for every check, and for nothing else', () => {
    expect(Object.keys(faults).sort()).toEqual(catalogue.map(({ id }) => id).sort());
  });

  test.each(catalogue)('is found out by $id', async (check) => {
    const { target } = await deployment(kindFor(check));
    const proxied = target(contract, (transport) =>
      broken(transport, faults[check.id] ?? ((sent, next) => next(sent))),
    );

    const failure = await check.run(proxied).then(
      () => 'it passed',
      (error: unknown) => error,
    );

    expect(failure).toBeInstanceOf(Error);
    expect(failure).not.toBeInstanceOf(PrerequisiteError);
  });
});
