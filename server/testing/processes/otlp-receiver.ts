import { httpReceiver } from './receiver.js';

/** A span as a collector receives it, without ids and times. */
export interface ReceivedSpan {
  name: string;
  kind: string;
  attributes: Attributes;
  isFailed: boolean;
  traceId: string;
  /** Name of the parent, its id if it is in another service, undefined if there is none. */
  parent: string | undefined;
}

export interface ReceivedMetric {
  name: string;
  unit?: string;
  gauge?: Points;
  sum?: Points & { isMonotonic: boolean };
  histogram?: Points;
}

interface Points {
  dataPoints: (Record<string, unknown> & { attributes: KeyValue[] })[];
}

type Attributes = Record<string, unknown>;

interface KeyValue {
  key: string;
  value: Record<string, unknown>;
}

interface WireSpan {
  name: string;
  kind: number;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  attributes: KeyValue[];
  status: { code?: number };
}

interface Scoped<Key extends string, Item> {
  resource: { attributes: KeyValue[] };
  scopes: Record<Key, Item[]>[];
}

const KINDS = ['', 'INTERNAL', 'SERVER', 'CLIENT', 'PRODUCER', 'CONSUMER'];
const ERROR = 2;

export interface OtlpReceiver {
  endpoint: string;
  /** Sends this as the status of further exports. */
  answerWith(status: number): void;
  spans(): ReceivedSpan[];
  /** Metrics of the latest export. */
  metrics(): ReceivedMetric[];
  /** Attributes of the service that sent spans. */
  resource(): Attributes;
  /** Everything received, as text. */
  text(): string;
  headers(): Record<string, unknown>[];
}

/** Receives OTLP over HTTP as JSON until the test ends. */
export async function otlpReceiver(): Promise<OtlpReceiver> {
  let status = 200;
  const { port, received } = await httpReceiver((response) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
  });
  const bodies = (path: string) => received.filter((request) => request.path === path).map(({ body }) => body);
  const traces = () =>
    bodies('/v1/traces').flatMap((body) => scoped<'spans', WireSpan>(body, 'resourceSpans', 'scopeSpans'));
  return {
    endpoint: `http://127.0.0.1:${port}`,
    answerWith: (next) => {
      status = next;
    },
    spans() {
      const all = traces().flatMap(({ scopes }) => scopes.flatMap(({ spans }) => spans));
      const names = new Map(all.map(({ spanId, name }) => [spanId, name]));
      return all.map((span) => receivedSpan(span, names));
    },
    metrics() {
      const latest = bodies('/v1/metrics').at(-1) ?? '{}';
      const sent = scoped<'metrics', ReceivedMetric>(latest, 'resourceMetrics', 'scopeMetrics');
      return sent.flatMap(({ scopes }) => scopes.flatMap(({ metrics }) => metrics));
    },
    resource: () => attributesOf(traces()[0]?.resource.attributes ?? []),
    text: () => received.map(({ body }) => body).join('\n'),
    headers: () => received.map(({ headers }) => headers),
  };
}

export function attributesOf(pairs: readonly KeyValue[]): Attributes {
  return Object.fromEntries(pairs.map(({ key, value }) => [key, Object.values(value)[0]]));
}

function receivedSpan(span: WireSpan, names: ReadonlyMap<string, string>): ReceivedSpan {
  const { name, kind, attributes, status, traceId, parentSpanId } = span;
  return {
    name,
    kind: KINDS[kind] ?? '',
    attributes: attributesOf(attributes),
    isFailed: status.code === ERROR,
    traceId,
    parent: parentSpanId === undefined ? undefined : (names.get(parentSpanId) ?? parentSpanId),
  };
}

function scoped<Key extends string, Item>(body: string, list: string, scopes: string): Scoped<Key, Item>[] {
  const sent = (JSON.parse(body) as Record<string, Record<string, unknown>[]>)[list] ?? [];
  return sent.map((each) => ({ resource: each.resource, scopes: each[scopes] }) as Scoped<Key, Item>);
}
