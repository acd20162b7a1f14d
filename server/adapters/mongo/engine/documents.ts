/** The document of an entity with an id and an organization, both under shorter names. */
export type Stored<T extends { id: string }> = Omit<T, 'id' | 'organizationId'> & { _id: string; org: string };

export function toStored<T extends { id: string }>(org: string, value: T): Stored<T> {
  const { id, organizationId: _, ...rest } = value as T & { organizationId?: string };
  return { ...rest, _id: id, org } as Stored<T>;
}

/** Reverts `toStored` for an entity with an `organizationId`. */
export function fromStored<T extends { id: string; organizationId: string }>(document: Stored<T>): T {
  const { _id, org, ...rest } = document;
  return { id: _id, organizationId: org, ...rest } as unknown as T;
}

/** Reverts `toStored` for an entity without an `organizationId`. */
export function partOf<T extends { id: string }>({ _id, org: _, ...rest }: Stored<T>): T {
  return { id: _id, ...rest } as unknown as T;
}

/** Joins the parts that identify a document into an id. */
export function compoundId(...parts: readonly string[]): string {
  return parts.join(' ');
}
