import { describe, expect, test } from 'vitest';
import { anotherCaller, testWorld } from '../../testing/app/test-deps.js';
import { deleteMemory } from '../removal/delete.js';
import { ingest } from '../writing/ingest.js';
import { readSettings, updateSettings } from './settings.js';

describe('updateSettings', () => {
  test('accepts any subject key type while no subject key is stored', async () => {
    const { deps, caller } = await testWorld();
    await updateSettings(deps, caller, { subjectKeyType: 'integer' });

    const settings = await updateSettings(deps, caller, { subjectKeyType: 'string' });

    expect(settings).toMatchObject({ subjectKeyType: 'string', semanticDedupe: true });
    expect(await readSettings(deps, caller)).toEqual(settings);
  });

  test('rejects another type while a memory, even a deleted one, has a subject key', async () => {
    const { deps, caller } = await testWorld();
    await updateSettings(deps, caller, { subjectKeyType: 'integer' });
    const { memory } = await ingest(deps, caller, { content: 'x', subjectKey: 1 });
    await deleteMemory(deps, caller, memory.id);

    const refused = updateSettings(deps, caller, { subjectKeyType: 'string' });

    await expect(refused).rejects.toMatchObject({ status: 409, code: 'subject_key_type_in_use' });
    await expect(updateSettings(deps, caller, { subjectKeyType: 'integer' })).resolves.toBeDefined();
  });

  test('rejects subject keys of the old type during a change of type', async () => {
    const { deps, caller } = await testWorld();
    await updateSettings(deps, caller, { subjectKeyType: 'integer' });

    const [change, write] = await Promise.allSettled([
      updateSettings(deps, caller, { subjectKeyType: 'string' }),
      ingest(deps, caller, { content: 'x', subjectKey: 1 }),
    ]);

    expect([change.status, write.status].sort()).toEqual(['fulfilled', 'rejected']);
  });

  test('is for owners only', async () => {
    const { deps, caller } = await testWorld();
    const stranger = await anotherCaller(deps);

    const refused = updateSettings(
      deps,
      { ...stranger, organizationId: caller.organizationId },
      { semanticDedupe: false },
    );

    await expect(refused).rejects.toMatchObject({ status: 403, code: 'owner_required' });
  });
});
