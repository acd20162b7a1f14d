import type { Deps } from '../../deps.js';
import type { InboundKind } from '../../domain/inbound/inbound-webhook.js';

/** Counts a request whose body was refused before its signature could be checked. */
export async function countRefusedBody(
  { store, inboundRefusals, now }: Pick<Deps, 'store' | 'inboundRefusals' | 'now'>,
  { kind, webhookId }: { kind: InboundKind; webhookId: string },
): Promise<void> {
  const webhook = await store.inbound.findWebhook(webhookId);
  if (webhook?.kind === kind) inboundRefusals.count(webhook, 'body', now());
}

/** Stores the counts of refused requests, in one unit of work per organization. */
export async function storeRefusals({
  store,
  inboundRefusals,
}: Pick<Deps, 'store' | 'inboundRefusals'>): Promise<void> {
  await inboundRefusals.flush(async (organizationId, refusals) => {
    // An organization may be gone.
    if (!(await store.accounts.settings(organizationId))) return;
    await store.transact(organizationId, async ({ inbound }) => {
      for (const [webhookId, each] of refusals) await inbound.addRefusals(webhookId, each);
    });
  });
}
