import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ConfigError, readConfig } from '../../config/config.js';
import { startService } from '../../service.js';
import { ToolClient } from '../../testing/app/tool-client.js';

const ORGANIZATION_ID = '0198c5a0-5d00-7b20-8f11-9a8b7c6d5e4f';

async function start(dataDir: string, organizationId: string) {
  const env = { PORT: '0', SERVICE_DATA_DIR: dataDir, SERVICE_DEFAULT_ORGANIZATION_ID: organizationId };
  return startService(readConfig({ ...env, SERVICE_LOG_LEVEL: 'silent' }), () => undefined);
}

async function folder(): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'memory-service-'));
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
  return dataDir;
}

describe('a service that names a default organization', () => {
  test('founds it at its first start, and serves its tools without a token', async () => {
    await using service = await start(await folder(), ORGANIZATION_ID);
    const port = Number(new URL(service.url).port);
    const tools = await ToolClient.connect({ port, token: '' }, { authorization: undefined });

    const { body } = await tools.call('memory_ingest', { content: 'Deploys run on Fridays.' });

    expect(service.credentials?.organizationId).toBe(ORGANIZATION_ID);
    expect(body).toMatchObject({ outcome: 'created', scope: { organizationId: ORGANIZATION_ID } });
    await tools.client.close();
  });

  test('does not start if other organizations exist and this one does not', async () => {
    const dataDir = await folder();
    const first = await start(dataDir, ORGANIZATION_ID);
    await first[Symbol.asyncDispose]();

    const second = start(dataDir, ORGANIZATION_ID.replace('0198', '0199'));

    await expect(second).rejects.toThrow(ConfigError);
    await expect(second).rejects.toThrow(/SERVICE_DEFAULT_ORGANIZATION_ID/);
  });
});
