import { existsSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { readConfig } from '../../config/config.js';
import { credentialsPath } from '../../config/credentials.js';
import { createContainer } from '../../container.js';
import type { Deps } from '../../deps.js';
import { startService } from '../../service.js';
import { type Answer, HttpClient } from '../../testing/app/http-client.js';
import { freePort } from '../../testing/processes/free-port.js';
import { quickFolder } from '../../testing/processes/quick-folder.js';
import { replaceMethods } from '../../testing/runner/replace-methods.js';

const POLL_MS = 5;

/** Blocks one step of a start. */
type Block = (deps: Deps, gate: Promise<void>) => Partial<Deps>;

/** Starts a service that stops at the blocked step until it is released. */
async function startBlocked(block: Block) {
  const [port, dataDir] = [await freePort(), quickFolder()];
  const config = readConfig({ PORT: String(port), SERVICE_DATA_DIR: dataDir, SERVICE_LOG_LEVEL: 'silent' });
  let release = () => {};
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  const starting = startService(
    config,
    () => undefined,
    async (...given) => {
      const container = await createContainer(...given);
      const deps = { ...container.deps, ...block(container.deps, gate) };
      return { deps, [Symbol.asyncDispose]: () => container[Symbol.asyncDispose]() };
    },
  );
  const client = new HttpClient(port);
  onTestFinished(() => client.close());
  return { client, dataDir, starting, release };
}

/** Returns the first answer of the service once it listens. */
async function readiness(client: HttpClient): Promise<Answer> {
  for (;;) {
    try {
      return await client.send('GET', '/health/ready');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ECONNREFUSED') throw error;
      await pause(POLL_MS);
    }
  }
}

describe('a service that already listens', () => {
  test.each<[string, Block]>([
    [
      'jobs run',
      ({ jobs }, gate) => ({
        jobs: replaceMethods(jobs, { start: (handlers) => gate.then(() => jobs.start(handlers)) }),
      }),
    ],
    [
      'the credentials of the first start are written',
      ({ store }, gate) => {
        const { accounts } = store;
        const createOrganization: typeof accounts.createOrganization = (made) =>
          gate.then(() => accounts.createOrganization(made));
        return { store: replaceMethods(store, { accounts: replaceMethods(accounts, { createOrganization }) }) };
      },
    ],
  ])('is not ready before %s', async (_, block) => {
    const { client, dataDir, starting, release } = await startBlocked(block);

    const before = await readiness(client);
    const written = existsSync(credentialsPath(dataDir));
    release();
    await using _service = await starting;
    const after = await readiness(client);

    expect(before).toMatchObject({ status: 503, body: { checks: { store: { detail: 'the service is starting' } } } });
    expect(written).toBe(false);
    expect(after).toMatchObject({ status: 200, body: { status: 'ok' } });
    expect(existsSync(credentialsPath(dataDir))).toBe(true);
  });
});
