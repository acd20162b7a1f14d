/** Monthly caps of a price (section 8). Undefined means no cap. */
export interface Plan {
  name: string;
  ingestPerMonth: number | undefined;
  searchPerMonth: number | undefined;
  /** Maximum sum of `bytesOf` over the active memories, at any time. */
  storageBytes: number | undefined;
}

/** Price id → plan. */
export type Plans = ReadonlyMap<string, Plan>;

/** Reports if any behaviour depends on subscriptions. */
export function usesSubscriptions({ enforced, plans }: { enforced: boolean; plans: Plans }): boolean {
  return enforced || plans.size > 0;
}

const CAPS = ['ingestPerMonth', 'searchPerMonth'] as const;
const FIELDS: readonly string[] = ['name', ...CAPS, 'storageBytes'];

/**
 * Parses plans from JSON: an object of price ids, each with `name`, `ingestPerMonth`, `searchPerMonth` and, optionally,
 * `storageBytes`. A cap of null means no cap.
 *
 * @throws {PlansError} that names the invalid price and field
 */
export function parsePlans(text: string): Plans {
  const plans = parseObject(text);
  return new Map(Object.entries(plans).map(([price, plan]) => [price, parsePlan(price, plan)]));
}

/** The text does not contain valid plans. */
export class PlansError extends Error {
  override name = 'PlansError';
}

function parseObject(text: string): Record<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(text);
    if (isObject(parsed)) return parsed;
  } catch {
    // The error below does not quote the input, as the parser's message does.
  }
  throw new PlansError('it must be a JSON object of price ids');
}

function parsePlan(price: string, plan: unknown): Plan {
  if (!isObject(plan)) throw new PlansError(`${price} must be an object`);
  const surplus = Object.keys(plan).find((field) => !FIELDS.includes(field));
  if (surplus !== undefined) throw new PlansError(`${price} has the unknown field ${surplus}`);
  if (typeof plan.name !== 'string' || plan.name === '') throw new PlansError(`${price} needs a name`);
  const [ingestPerMonth, searchPerMonth] = CAPS.map((field) => parseCap(price, field, plan[field]));
  const storageBytes = parseCap(price, 'storageBytes', plan.storageBytes ?? null);
  return { name: plan.name, ingestPerMonth, searchPerMonth, storageBytes };
}

function parseCap(price: string, field: string, cap: unknown): number | undefined {
  if (cap === null) return undefined;
  if (Number.isSafeInteger(cap) && Number(cap) >= 0) return Number(cap);
  throw new PlansError(`${price} needs ${field}: a whole number, or null for no cap`);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
