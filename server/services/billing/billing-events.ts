import type { Deps } from '../../deps.js';
import type { Origin } from '../../domain/account/caller.js';
import { isLater, type Subscription } from '../../domain/billing/subscription.js';
import { BadRequestError, InvalidSignatureError } from '../../errors.js';
import { type BillingEvent, ForgedEventError, MalformedEventError } from '../../ports/billing-provider.js';
import type { UnitOfWork } from '../../ports/unit-of-work.js';
import { recordAudit } from '../audit/record-audit.js';

/** How long an event's id is kept. The provider retries an event for 3 days, and can resend it on request for 30. */
const RETENTION_US = 35 * 24 * 60 * 60 * 1_000_000;
/** Old events that each new event deletes: more than one, so that old ones do not pile up. */
const MAX_OLD_DELETED = 20;

/** Result of an event: `outdated` after a later one was applied, `ignored` if its organization is unknown. */
type EventOutcome = 'applied' | 'duplicate' | 'outdated' | 'ignored';

type EventDeps = Pick<Deps, 'store' | 'now' | 'newId' | 'billingProvider' | 'logger'>;

/** A received event. */
interface SentEvent {
  body: Buffer;
  signature: string | undefined;
  origin: Origin;
}

/**
 * Stores a subscription change that the billing provider reports (section 5.5). Events may arrive more than once and
 * in any order: each is applied once, and never over a later one.
 *
 * @throws {InvalidSignatureError} also if no webhook secret is configured
 * @throws {BadRequestError} if the body is signed but is not an event
 */
export async function receiveBillingEvent(
  deps: EventDeps,
  { body, signature, origin }: SentEvent,
): Promise<EventOutcome> {
  const { id, change } = readEvent(deps, body, signature);
  if (!change) return 'ignored';
  const { organizationId, subscription } = change;
  if (!(await deps.store.accounts.settings(organizationId))) {
    deps.logger.warn({ requestId: origin.requestId }, 'a billing event names an unknown organization');
    return 'ignored';
  }
  return deps.store.transact(organizationId, (unit) => apply(deps, unit, origin, id, subscription));
}

function readEvent({ billingProvider }: EventDeps, body: Buffer, signature: string | undefined): BillingEvent {
  if (!billingProvider || signature === undefined) throw new InvalidSignatureError();
  try {
    return billingProvider.readEvent(body, signature);
  } catch (error) {
    if (error instanceof ForgedEventError) throw new InvalidSignatureError();
    if (error instanceof MalformedEventError)
      throw new BadRequestError(`Send an event of the billing provider: ${error.message}`);
    throw error;
  }
}

async function apply(
  deps: EventDeps,
  unit: UnitOfWork,
  origin: Origin,
  eventId: string,
  said: Subscription,
): Promise<EventOutcome> {
  const now = deps.now();
  if (!(await unit.subscriptions.recordEvent(eventId, now))) return 'duplicate';
  await unit.subscriptions.forgetEvents(now - RETENTION_US, MAX_OLD_DELETED);
  const known = (await unit.subscriptions.all()).find(({ id }) => id === said.id);
  if (known && !isLater(said, known)) return 'outdated';

  await unit.subscriptions.save(said);
  const billing = { ...origin, actor: { type: 'system', id: 'billing' }, source: 'webhook' } as const;
  await recordAudit(deps, unit, billing, { action: 'subscription.update', metadata: { status: said.status } });
  return 'applied';
}
