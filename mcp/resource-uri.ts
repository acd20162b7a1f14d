/** A resource of an organization, as its URI names it. */
export type ResourceName =
  | { kind: 'document'; organizationId: string; id: string; from: number }
  | { kind: 'memory'; organizationId: string; id: string }
  | { kind: 'stats'; organizationId: string };

const SCHEME = 'store://';
const MAX_URI_LENGTH = 4_096;

/** Undefined for what is no URI of ours. */
export function parseResourceUri(uri: string): ResourceName | undefined {
  if (!uri.startsWith(SCHEME) || uri.length > MAX_URI_LENGTH) return undefined;
  const [path = '', query, ...more] = uri.slice(SCHEME.length).split('?');
  const [organizationId, kind, id, ...rest] = path.split('/').map(decode);
  if (!organizationId || rest.length > 0 || more.length > 0) return undefined;
  if (kind === 'stats' && id === undefined && query === undefined) return { kind, organizationId };
  if (!id) return undefined;
  if (kind === 'memory' && query === undefined) return { kind, organizationId, id };
  const from = query === undefined ? 0 : Number(/^from=(\d{1,9})$/.exec(query)?.[1] ?? Number.NaN);
  return kind === 'document' && !Number.isNaN(from) ? { kind, organizationId, id, from } : undefined;
}

export function formatResourceUri(name: ResourceName): string {
  const organization = `${SCHEME}${encodeURIComponent(name.organizationId)}`;
  if (name.kind === 'stats') return `${organization}/stats`;
  const uri = `${organization}/${name.kind}/${encodeURIComponent(name.id)}`;
  return name.kind === 'document' && name.from > 0 ? `${uri}?from=${name.from}` : uri;
}

/** Undefined for what cannot be decoded, which then names nothing. */
function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}
