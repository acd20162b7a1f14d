import { describe, expect, test } from 'vitest';
import { testWorld } from '../../testing/app/test-deps.js';
import { updateSettings } from '../organization/settings.js';
import { ingest } from './ingest.js';

describe('ingest bound to a project', () => {
  test('rejects the content of a memory elsewhere, and does not change it', async () => {
    const { deps, caller } = await testWorld();
    const { memory } = await ingest(deps, caller, { content: 'same', metadata: { project: 'other' } });
    const bound = { ...caller, within: { project: 'atlas' } };

    const refused = ingest(deps, bound, { content: 'same', metadata: { project: 'atlas' } });

    await expect(refused).rejects.toMatchObject({ code: 'content_conflict', extra: { id: memory.id } });
    expect(await deps.store.memories.findById(caller.organizationId, memory.id)).toEqual(memory);
  });

  test('is not merged into a near-duplicate elsewhere, but into one inside', async () => {
    const { deps, caller } = await testWorld();
    const bound = { ...caller, within: { project: 'atlas' } };
    const metadata = { project: 'atlas' };
    const content = 'Deploys run on Fridays.';
    const { memory } = await ingest(deps, caller, { content, metadata: { project: 'other' } });

    const first = await ingest(deps, bound, { content: 'deploys run on fridays', metadata });
    const second = await ingest(deps, bound, { content: 'DEPLOYS run on Fridays.', metadata });

    expect(first.outcome).toBe('created');
    expect(await deps.store.memories.findById(caller.organizationId, memory.id)).toEqual(memory);
    expect(second).toMatchObject({ outcome: 'merged_metadata', memory: { id: first.memory.id } });
  });

  test('rejects a key of a memory elsewhere, also if it has the same content', async () => {
    const { deps, caller } = await testWorld();
    const { memory } = await ingest(deps, caller, { content: 'same', externalKey: 'k' });
    const bound = { ...caller, within: { project: 'atlas' } };

    for (const content of ['same', 'other']) {
      const refused = ingest(deps, bound, { content, externalKey: 'k', metadata: { project: 'atlas' } });
      await expect(refused).rejects.toMatchObject({ code: 'content_conflict', extra: { id: memory.id } });
    }
  });

  test('compares the subject as text', async () => {
    const { deps, caller } = await testWorld();
    await updateSettings(deps, caller, { subjectKeyType: 'integer' });
    await ingest(deps, caller, { content: 'same', subjectKey: 17, externalKey: 'k' });

    const inside = await ingest(
      deps,
      { ...caller, within: { subjectKey: '17' } },
      { content: 'same', subjectKey: 17, externalKey: 'k' },
    );
    const outside = ingest(
      deps,
      { ...caller, within: { subjectKey: '18' } },
      { content: 'same', subjectKey: 17, externalKey: 'k' },
    );

    expect(inside.outcome).toBe('deduplicated');
    await expect(outside).rejects.toMatchObject({ code: 'content_conflict' });
  });
});
