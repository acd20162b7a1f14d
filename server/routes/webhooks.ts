import type { IncomingHttpHeaders } from 'node:http';
import type { SignedRoute } from '../http/contract/route.js';
import type {
  ReceiveCodeHostEventData,
  ReceiveCodeHostEventResponses,
  ReceiveTrackerEventData,
  ReceiveTrackerEventResponses,
} from '../http/contract/wire.js';
import { parseJson } from '../http/request/body/json.js';
import * as inboundDeliveries from '../services/inbound/inbound-receive.js';

export const receiveCodeHostEvent: SignedRoute<ReceiveCodeHostEventData, ReceiveCodeHostEventResponses> = async (
  { path, headers, body, origin },
  deps,
) => {
  const status = await inboundDeliveries.receiveDelivery(deps, {
    kind: 'codehost',
    webhookId: path.webhookId,
    body,
    parse: (bytes) => parseJson(bytes),
    signature: first(headers, 'x-hub-signature-256'),
    event: first(headers, 'x-code-host-event', 'x-github-event'),
    deliveryId: first(headers, 'x-code-host-delivery', 'x-github-delivery'),
    origin,
  });
  return { status: 202, body: { status } };
};

export const receiveTrackerEvent: SignedRoute<ReceiveTrackerEventData, ReceiveTrackerEventResponses> = async (
  { path, headers, body, origin },
  deps,
) => {
  const status = await inboundDeliveries.receiveDelivery(deps, {
    kind: 'tracker',
    webhookId: path.webhookId,
    body,
    parse: (bytes) => parseJson(bytes),
    signature: first(headers, 'tracker-signature', 'linear-signature'),
    event: undefined,
    deliveryId: first(headers, 'tracker-delivery', 'linear-delivery'),
    origin,
  });
  return { status: 200, body: { status } };
};

/** Returns the first of the headers that is present. A repeated header counts as no value. */
function first(headers: IncomingHttpHeaders, ...names: string[]): string | undefined {
  const given = names.map((name) => headers[name]).find((value) => value !== undefined);
  return typeof given === 'string' ? given : undefined;
}
