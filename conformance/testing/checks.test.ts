import { describe, expect, test } from 'vitest';
import { catalogue } from '../run/catalogue.js';
import { Contract } from '../transport/contract.js';
import { PrerequisiteError } from '../transport/prerequisite.js';
import { kindFor } from './deployment.js';
import { fileDeployments, runCheck } from './deployments.js';
import { broken } from './fault.js';
import { faults } from './faults/index.js';

const contract = Contract.load();
const deploymentOf = fileDeployments();

test('no two checks share an id', () => {
  const ids = catalogue.map(({ id }) => id);

  expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([]);
});

describe('a broken deployment', () => {
  test('is there for every check, and for nothing else', () => {
    expect(Object.keys(faults).sort()).toEqual(catalogue.map(({ id }) => id).sort());
  });

  test.each(catalogue)('is found out by $id', async (check) => {
    const { target } = await deploymentOf(kindFor(check));
    const fault = faults[check.id] ?? ((sent, forward) => forward(sent));
    // Waiting longer would only make sure that what is broken stays so.
    const proxied = target(contract, { through: (transport) => broken(transport, fault), patienceMs: 1_000 });

    const failure = await runCheck(check, proxied).then(
      () => 'it passed',
      (error: unknown) => error,
    );

    expect(failure).toBeInstanceOf(Error);
    expect(failure).not.toBeInstanceOf(PrerequisiteError);
  });
});
