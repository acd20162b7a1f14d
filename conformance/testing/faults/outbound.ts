import { answering, body, type Fault, on, sending } from '../fault.js';
import { relayed } from '../relay.js';

const WEBHOOKS = '/api/organization/outbound-webhooks';

const event = (change: (json: { event: string; timestamp: string; payload: Record<string, unknown> }) => void): Fault =>
  relayed((passing) => {
    const json = JSON.parse(passing.body);
    change(json);
    passing.body = JSON.stringify(json);
  });
const chooses = (...events: readonly string[]): Fault =>
  on(
    `POST ${WEBHOOKS}`,
    sending(({ body: sent }) => {
      sent.events = events;
    }),
  );
export const outboundFaults: Readonly<Record<string, Fault>> = {
  'outbound-ingested': event(({ payload }) => {
    payload.outcome = 'deduplicated';
  }),
  'outbound-updated': chooses('memory.ingested'),
  'outbound-deleted': event(({ payload }) => {
    payload.id = '00000000-0000-7000-8000-000000000000';
  }),
  'outbound-headers': relayed(({ headers }) => {
    headers['x-service-event'] = 'memory';
  }),
  'outbound-signature': on(
    `POST ${WEBHOOKS}`,
    body((json) => {
      json.secret = `${String(json.secret).slice(0, -5)}AAAA=`;
    }),
  ),
  'outbound-body': event((json) => {
    json.timestamp = String(Date.now());
  }),
  'outbound-has-no-content': leaksContent(),
  'outbound-only-chosen-events': chooses('memory.deleted', 'memory.ingested'),
  'outbound-of-every-ingest': chooses('memory.updated'),
  'outbound-of-merges': chooses('memory.ingested'),
  'outbound-is-retried': relayed((passing) => {
    passing.headers['x-service-delivery'] = String(Math.random());
  }),
  'outbound-standard-headers': relayed(({ headers }) => {
    headers['webhook-timestamp'] = '0';
  }),
  'outbound-secret-is-shown-once': keepsSecret(),
  'outbound-https-alone': on(
    `POST ${WEBHOOKS}`,
    sending(({ body: sent }) => {
      if (!URL.canParse(String(sent.url))) return;
      sent.url = String(sent.url).replace('http:', 'https:');
    }),
  ),
  'outbound-no-private-addresses': on(
    `POST ${WEBHOOKS}`,
    sending(({ body: sent }) => {
      if (String(sent.url).startsWith('https:')) sent.url = 'https://hooks.example.com/x';
    }),
  ),
};

/** Shows the secret whenever the endpoint is read. */
function keepsSecret(): Fault {
  let secret: unknown;
  return on(
    `* ${WEBHOOKS}**`,
    answering(({ json }) => {
      secret ??= json?.secret;
      if (json) json.description = secret;
    }),
  );
}

/** Also sends the content of the memory. */
function leaksContent(): Fault {
  let content: unknown;
  const leaking = event(({ payload }) => {
    payload.content = content;
  });
  return (sent, forward) => {
    if (sent.path === '/api/memories') content = sent.body.content;
    return leaking(sent, forward);
  };
}
