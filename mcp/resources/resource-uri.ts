/** The parts of the URI of a resource. */
export type ResourceName =
  | { kind: 'document'; organizationId: string; id: string; subjectKey?: string; from: number }
  | { kind: 'memory'; organizationId: string; id: string }
  | { kind: 'subject'; organizationId: string; id: string }
  | { kind: 'stats'; organizationId: string };

const SCHEME = 'store://';
const MAX_URI_LENGTH = 4_096;
const PART = /^(?:subjectKey=(?<subject>[^&=]+)(?:&from=(?<next>\d{1,9}))?|from=(?<from>\d{1,9}))$/;

/** Returns undefined if the URI is not one of this service. */
export function parseResourceUri(uri: string): ResourceName | undefined {
  if (!uri.startsWith(SCHEME) || uri.length > MAX_URI_LENGTH) return undefined;
  const [path = '', query, ...more] = uri.slice(SCHEME.length).split('?');
  const [organizationId, kind, id, ...rest] = path.split('/').map(decode);
  if (!organizationId || rest.length > 0 || more.length > 0) return undefined;
  if (kind === 'stats' && id === undefined && query === undefined) return { kind, organizationId };
  if (!id) return undefined;
  if ((kind === 'memory' || kind === 'subject') && query === undefined) return { kind, organizationId, id };
  const part = kind === 'document' ? parsePart(query) : undefined;
  return part && { kind: 'document', organizationId, id, ...part };
}

export function formatResourceUri(name: ResourceName): string {
  const organization = `${SCHEME}${encodeURIComponent(name.organizationId)}`;
  if (name.kind === 'stats') return `${organization}/stats`;
  const uri = `${organization}/${name.kind}/${encodeURIComponent(name.id)}`;
  if (name.kind !== 'document') return uri;
  const query = [
    ...(name.subjectKey === undefined ? [] : [`subjectKey=${encodeURIComponent(name.subjectKey)}`]),
    ...(name.from === 0 ? [] : [`from=${name.from}`]),
  ];
  return query.length === 0 ? uri : `${uri}?${query.join('&')}`;
}

/** Returns undefined if the query is not valid. */
function parsePart(query: string | undefined): { subjectKey?: string; from: number } | undefined {
  if (query === undefined) return { from: 0 };
  const { subject, next, from = next ?? '0' } = PART.exec(query)?.groups ?? { from: '' };
  const subjectKey = subject === undefined ? undefined : decode(subject);
  if (from === '' || subjectKey === '') return undefined;
  return { ...(subjectKey !== undefined && { subjectKey }), from: Number(from) };
}

/** Returns an empty string, which names nothing, if the text cannot be decoded. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}
