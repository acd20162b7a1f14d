import { describe, expect, test } from 'vitest';
import { testWorld } from '../../testing/app/test-deps.js';
import { anIssue, aPush, sha } from '../../testing/inbound/code-host.js';
import { contents, deliver, delivery, EVERYTHING, register } from '../../testing/inbound/deliveries.js';
import { aCommentEvent } from '../../testing/inbound/tracker.js';
import { deleteMemory } from '../removal/delete.js';

const LATER = '2026-03-03T00:00:00Z';

describe('ingestDelivery', () => {
  test('stores each commit once, even if several branches contain it', async () => {
    const { deps, caller } = await testWorld();
    const sender = await register(deps, caller, 'codehost');

    await deliver(deps, sender, 'push', aPush([{ id: sha(1) }, { id: sha(2) }]));
    await deliver(deps, sender, 'push', aPush([{ id: sha(2) }, { id: sha(3) }], { ref: 'refs/heads/release' }));

    expect(await contents(deps, caller)).toHaveLength(3);
  });

  test('keeps the latest state of an issue, whatever the order of the deliveries', async () => {
    const { deps, caller } = await testWorld();
    const sender = await register(deps, caller, 'codehost');

    await deliver(deps, sender, 'issues', anIssue('edited', { title: 'Later', updated_at: LATER }));
    const key = await deliver(deps, sender, 'issues', anIssue('opened', { title: 'Earlier' }));

    expect(await contents(deps, caller)).toEqual([expect.stringMatching(/^Later/)]);
    expect(await delivery(deps, caller, key)).toMatchObject({ state: 'processed', counts: { stored: 0, skipped: 1 } });
  });

  test('stores two comments with equal content as two memories', async () => {
    const { deps, caller } = await testWorld();
    const sender = await register(deps, caller, 'tracker');

    await deliver(deps, sender, undefined, aCommentEvent('create', { id: 'a', body: '+1' }));
    await deliver(deps, sender, undefined, aCommentEvent('create', { id: 'b', body: '+1', createdAt: LATER }));

    expect(await contents(deps, caller)).toHaveLength(2);
  });

  test('does not restore a memory that the organization deleted', async () => {
    const { deps, caller } = await testWorld();
    const sender = await register(deps, caller, 'codehost');
    await deliver(deps, sender, 'issues', anIssue('opened'));
    const [memory] = await deps.store.memories.list(caller.organizationId, EVERYTHING);
    await deleteMemory(deps, caller, memory!.id);

    const key = await deliver(deps, sender, 'issues', anIssue('edited', { updated_at: LATER }));

    expect(await contents(deps, caller)).toEqual([]);
    expect(await delivery(deps, caller, key)).toMatchObject({ state: 'processed', counts: { skipped: 1 } });
  });
});
