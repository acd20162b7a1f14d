import { expect, test } from 'vitest';
import { fileDeployments } from '../testing/deployments.js';
import { all, broken, type Fault, on, overlooks, pretends } from '../testing/fault.js';
import { Contract } from '../transport/contract.js';
import { CleanUp } from './clean-up.js';

const contract = Contract.load();
const deploymentOf = fileDeployments();

/** A target on a deployment that commits a fault, or none. */
async function targetOn(fault: Fault = (sent, forward) => forward(sent)) {
  const { target } = await deploymentOf('string');
  return target(contract, { through: (transport) => broken(transport, fault) });
}

test('what a check wrote is deleted when it is over, and what others build on at the end', async () => {
  const target = await targetOn();
  const cleanUp = new CleanUp(target);
  const project = target.word();
  const shared = await target.ledger.share(() => target.stored({ metadata: { project } }));

  await target.ledger.record(
    async () => {
      const fields = () => target.fields({ metadata: { project } });
      await target.batch([fields(), fields()]);
      await target.tools.call({ token: target.token }, 'memory_ingest', { ...fields() });
      await target.deleted({ metadata: { project } });
    },
    (written) => cleanUp.take(written),
  );
  await cleanUp.idle();
  const meanwhile = await target.read('recent', { filter: { project } });
  const faults = await cleanUp.finish([undefined]);

  expect(meanwhile.ids).toEqual([shared.id]);
  expect(faults).toEqual([]);
  expect((await target.read('recent', { filter: { project } })).ids).toEqual([]);
});

test('memories of others stay, though the deployment lists them where they were not asked for', async () => {
  const others = await targetOn();
  const { id } = await others.stored();
  const target = await targetOn(on('GET /api/memories/export', overlooks('filter')));
  await target.stored();

  const faults = await new CleanUp(target).finish([undefined]);

  expect(faults).toEqual([]);
  expect((await others.get(id)).status).toBe(200);
  await new CleanUp(others).finish([undefined]);
});

test('many memories are deleted in one request, or one by one where the deployment cannot', async () => {
  const sent: string[] = [];
  const counts: Fault = (request, forward) => {
    if (/^(DELETE|POST .*delete)/.test(`${request.method} ${request.path}`)) sent.push(request.method);
    return forward(request);
  };
  const cannot = on('POST /api/memories/delete', pretends(405));

  for (const fault of [counts, all(counts, cannot)]) {
    const target = await targetOn(fault);
    const cleanUp = new CleanUp(target);
    const project = target.word();
    await target.ledger.record(
      async () => {
        const fields = () => target.fields({ metadata: { project } });
        await target.batch([fields(), fields(), fields()]);
      },
      (written) => cleanUp.take(written),
    );
    await cleanUp.idle();
    expect((await target.read('recent', { filter: { project } })).ids).toEqual([]);
  }

  expect(sent).toEqual(['POST', 'POST', 'DELETE', 'DELETE', 'DELETE']);
});

test('what cannot be deleted is told', async () => {
  const target = await targetOn(on('DELETE /api/memories/*', pretends(500)));
  const { id } = await target.stored();

  const faults = await new CleanUp(target).finish([undefined]);

  expect(faults).toEqual([`memory ${id} could not be deleted: 500`]);
});

test('where nothing can be listed, what is known is deleted all the same', async () => {
  const target = await targetOn(on('GET /api/memories/export', pretends(500)));
  const { id } = await target.stored();

  const faults = await new CleanUp(target).finish([undefined]);

  expect(faults).toEqual([expect.stringContaining('could not be looked for')]);
  expect((await target.get(id)).status).toBe(404);
});
