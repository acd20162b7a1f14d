/** Jobs of one tenant with their own share of the slots, for example those for one endpoint. */
export interface Lane {
  tenant: string;
  /** Unique per tenant; empty for jobs without a share of their own. */
  name: string;
}

/** Tenants and lanes whose jobs must not start now. */
export interface PassedOver {
  tenants: readonly string[];
  /** Keys of lanes. */
  lanes: readonly string[];
}

/** Returns a key that is unique over all tenants, because no tenant's id contains a slash. */
export function keyOfLane({ tenant, name }: Lane): string {
  return `${tenant}/${name}`;
}
