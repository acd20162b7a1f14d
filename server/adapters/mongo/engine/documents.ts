/** What a collection keeps of something that has an id and belongs to an organization: both by shorter names. */
export type Stored<T extends { id: string }> = Omit<T, 'id' | 'organizationId'> & { _id: string; org: string };

export function toStored<T extends { id: string }>(org: string, value: T): Stored<T> {
  const { id, organizationId: _, ...rest } = value as T & { organizationId?: string };
  return { ...rest, _id: id, org } as Stored<T>;
}

/** The opposite of `toStored`, for what knows its organization. */
export function fromStored<T extends { id: string; organizationId: string }>(document: Stored<T>): T {
  const { _id, org, ...rest } = document;
  return { id: _id, organizationId: org, ...rest } as unknown as T;
}

/** The opposite of `toStored`, for what does not name its organization. */
export function partOf<T extends { id: string }>({ _id, org: _, ...rest }: Stored<T>): T {
  return { id: _id, ...rest } as unknown as T;
}

/** An id that is made of what identifies a document. */
export function compoundId(...parts: readonly string[]): string {
  return parts.join(' ');
}
