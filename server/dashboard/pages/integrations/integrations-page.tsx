import { useRoute } from 'preact-iso';
import { InboundPage } from './inbound-page.js';
import { OutboundPage } from './outbound-page.js';
import { WebhookLists } from './webhook-lists.js';

/** All webhooks, or the one that the address names. */
export function IntegrationsPage() {
  const { params } = useRoute();
  const { side, webhookId } = params;
  if (side === 'inbound' && webhookId) return <InboundPage key={webhookId} webhookId={webhookId} />;
  if (side === 'outbound' && webhookId) return <OutboundPage key={webhookId} webhookId={webhookId} />;
  return <WebhookLists />;
}
