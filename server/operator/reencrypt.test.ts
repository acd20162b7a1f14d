import { createHmac, randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MemoryClient } from '@memory-service/sdk';
import { verifyWebhook } from '@memory-service/sdk/webhooks';
import { describe, expect, onTestFinished, test } from 'vitest';
import { aPush, sha } from '../testing/inbound/code-host.js';
import { httpReceiver, type Received } from '../testing/processes/receiver.js';
import { type Ended, runProgram } from '../testing/processes/run-program.js';
import { builtPackage, ServerProcess } from '../testing/processes/server-process.js';

describe('the re-encryption program', () => {
  test('lets an operator remove a key without changing any webhook secret', async () => {
    const dataDir = await folder();
    const [old, fresh] = [newKey(), newKey()];
    const firstRequest = new FirstRequest();
    const receiver = await httpReceiver((response, request) => {
      response.writeHead(204).end();
      firstRequest.receive(request);
    });
    const first = await start(dataDir, old);
    const { inboundWebhooks, outboundWebhooks } = new MemoryClient(first.credentials);
    const sender = await inboundWebhooks.create({ kind: 'codehost', name: 'code' });
    const former = await outboundWebhooks.create({ url: receiver.url, events: ['memory.ingested'] });
    const { secret } = await outboundWebhooks.rotateSecret(former.id);
    const beside = await run(dataDir, `${fresh},${old}`);
    await first.stop('SIGTERM');

    const without = await run(dataDir, fresh);
    const changed = await run(dataDir, `${fresh},${old}`);
    const second = await start(dataDir, fresh);
    const push = JSON.stringify(aPush([{ id: sha(1) }]));
    const accepted = await deliver(second, sender, push);
    const { body, headers } = await firstRequest.received;

    expect(beside).toMatchObject({
      code: 1,
      output: '',
      errors: expect.stringMatching(/data folder[\s\S]*stop it, run/),
    });
    expect(beside.errors).not.toContain('    at ');
    expect(without.code).toBe(1);
    expect(without.errors).toContain(`outbound webhook ${former.id}: `);
    expect(without.errors).toContain(
      `organization ${first.credentials.organizationId}, inbound webhook ${sender.id}: A stored secret was encrypted with a key`,
    );
    expect(changed).toEqual({
      code: 0,
      output: expect.stringMatching(
        /^secrets of inbound webhooks: 1 re-encrypted, 0 .*\nsecrets of outbound webhooks: 2 re-encrypted, 0 /,
      ),
      errors: '',
    });
    expect(accepted).toBe(202);
    expect(JSON.parse(body)).toMatchObject({ payload: { metadata: { sha: sha(1) } } });
    for (const each of [secret, former.secret]) {
      await expect(verifyWebhook({ body, headers, secret: each })).resolves.toMatchObject({ event: 'memory.ingested' });
    }
    const printed = [beside, without, changed].map(({ output, errors }) => output + errors).join();
    for (const kept of [secret, former.secret, sender.secret, old, fresh]) expect(printed).not.toContain(kept);
  });

  test('uses the key of the data folder, and rejects unknown options', async () => {
    const dataDir = await folder();
    const server = await start(dataDir);
    await new MemoryClient(server.credentials).inboundWebhooks.create({ kind: 'tracker', name: 'issues' });
    await server.stop('SIGTERM');

    const kept = await run(dataDir);
    const [help, unknown] = await Promise.all([run(dataDir, undefined, '--help'), run(dataDir, undefined, '--colour')]);

    expect(kept).toEqual({
      code: 0,
      output: expect.stringContaining('inbound webhooks: 0 re-encrypted, 1 '),
      errors: '',
    });
    expect(help).toMatchObject({ code: 0, output: expect.stringContaining('stop the server first') });
    expect(unknown).toMatchObject({ code: 2, output: '', errors: expect.stringContaining('--colour') });
  });
});

/** Lets a test wait for the first request to a receiver. */
class FirstRequest {
  receive: (request: Received) => void = () => {};
  readonly received = new Promise<Received>((resolve) => {
    this.receive = resolve;
  });
}

function newKey(): string {
  return randomBytes(32).toString('base64');
}

async function folder(): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), 'memory-reencrypt-'));
  onTestFinished(() => rm(made, { recursive: true, force: true }));
  return made;
}

async function start(dataDir: string, keys?: string): Promise<ServerProcess> {
  const server = await ServerProcess.start(builtPackage('server'), dataDir, environment(keys));
  onTestFinished(() => server[Symbol.asyncDispose]());
  return server;
}

/** Returns the environment with these keys. Without keys, the data folder keeps one. */
function environment(keys: string | undefined): Record<string, string> {
  return { ...(keys !== undefined && { SERVICE_ENCRYPTION_KEYS: keys }) };
}

/** Sends a push as the code host does, signed with the webhook's secret. */
async function deliver(
  { url }: ServerProcess,
  { id, secret }: { id: string; secret: string },
  body: string,
): Promise<number> {
  const signature = createHmac('sha256', secret).update(body).digest('hex');
  const answer = await fetch(`${url}/webhooks/codehost/${id}`, {
    method: 'POST',
    body,
    headers: {
      'content-type': 'application/json',
      'x-code-host-event': 'push',
      'x-code-host-delivery': 'delivery-1',
      'x-hub-signature-256': `sha256=${signature}`,
    },
  });
  await answer.arrayBuffer();
  return answer.status;
}

function run(dataDir: string, keys?: string, ...args: string[]): Promise<Ended> {
  return runProgram('operator/reencrypt.js', args, { SERVICE_DATA_DIR: dataDir, ...environment(keys) });
}
