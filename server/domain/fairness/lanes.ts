/** A line of one tenant's jobs that have their own share of the places: those for one endpoint, for instance. */
export interface Lane {
  tenant: string;
  /** Unique in its tenant; empty for jobs that share only what the tenant has. */
  name: string;
}

/** Whose jobs are not to be begun now. */
export interface PassedOver {
  tenants: readonly string[];
  /** Keys of lanes. */
  lanes: readonly string[];
}

/** The key of a lane, unique over all tenants. No tenant's id contains a slash. */
export function keyOfLane({ tenant, name }: Lane): string {
  return `${tenant}/${name}`;
}
