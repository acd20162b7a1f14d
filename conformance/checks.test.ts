import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { catalogue } from './catalogue.js';
import { type Check, PrerequisiteError } from './check.js';
import { Contract } from './contract.js';
import { type Deployment, startDeployment } from './testing/deployment.js';
import { broken } from './testing/fault.js';
import { faults } from './testing/faults/index.js';

const contract = Contract.load();

describe.each([
  ['string', catalogue],
  ['integer', catalogue.filter(({ needs }) => needs?.includes('subject-keys'))],
] as const)('a deployment whose subject keys are of type %s', (type, checks) => {
  let deployment: Deployment;

  beforeAll(async () => {
    deployment = await startDeployment(type);
  });
  afterAll(() => deployment[Symbol.asyncDispose]());

  test.each(checks)('passes $id', async (check) => {
    if (!applies(check, deployment)) return;
    await check.run(deployment.target(contract));
  });
});

describe('a broken deployment', () => {
  let deployment: Deployment;

  beforeAll(async () => {
    deployment = await startDeployment('string');
  });
  afterAll(() => deployment[Symbol.asyncDispose]());

  test('is there for every check, and for nothing else', () => {
    expect(Object.keys(faults).sort()).toEqual(catalogue.map(({ id }) => id).sort());
  });

  test.each(catalogue)('is found out by $id', async (check) => {
    const fault = faults[check.id];
    if (!fault || !applies(check, deployment)) return;
    const target = deployment.target(contract, (transport) => broken(transport, fault));

    const failure = await check.run(target).then(
      () => 'it passed',
      (error: unknown) => error,
    );

    expect(failure).toBeInstanceOf(Error);
    expect(failure).not.toBeInstanceOf(PrerequisiteError);
  });
});

function applies({ needs = [] }: Check, { without }: Deployment): boolean {
  return !needs.some((capability) => without.has(capability));
}
