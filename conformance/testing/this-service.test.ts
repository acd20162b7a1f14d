import { describe, test } from 'vitest';
import { catalogue } from '../run/catalogue.js';
import { Contract } from '../transport/contract.js';
import { kindFor } from './deployment.js';
import { fileDeployments, runCheck } from './deployments.js';

const contract = Contract.load();
const deploymentOf = fileDeployments();
const aboutSubjects = catalogue.filter(({ needs }) => needs?.includes('subject-keys'));

describe('this service', () => {
  test.each(catalogue)('passes $id', async (check) => {
    const { target } = await deploymentOf(kindFor(check));

    await runCheck(check, target(contract));
  });

  test.each(aboutSubjects)('passes $id where subject keys are integers', async (check) => {
    const { target } = await deploymentOf('integer');

    await runCheck(check, target(contract));
  });
});
