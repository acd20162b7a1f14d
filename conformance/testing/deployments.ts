import { afterAll } from 'vitest';
import type { Check } from '../checks/check.js';
import type { Target } from '../world/target.js';
import { type Deployment, type DeploymentKind, startDeployment } from './deployment.js';

/** One deployment of each kind for all tests of a file, which ends them: checks keep apart what they write. */
export function fileDeployments(): (kind: DeploymentKind) => Promise<Deployment> {
  const deployments = new Map<DeploymentKind, Promise<Deployment>>();
  afterAll(async () => {
    for (const running of deployments.values()) await (await running)[Symbol.asyncDispose]();
  });
  return (kind) => {
    const running = deployments.get(kind) ?? startDeployment(kind);
    deployments.set(kind, running);
    return running;
  };
}

/** Runs a check, and then cleans up its target. */
export async function runCheck(check: Check, target: Target): Promise<void> {
  try {
    await check.run(target);
  } finally {
    await target.release();
  }
}
