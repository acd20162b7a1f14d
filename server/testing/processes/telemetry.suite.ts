import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { PrometheusMetrics } from '../../adapters/metrics/prometheus-metrics.js';
import { readConfig } from '../../config/config.js';
import { readCredentials } from '../../config/credentials.js';
import { createContainer } from '../../container.js';
import type { Deps } from '../../deps.js';
import type { LogFields } from '../../logger.js';
import { startService } from '../../service.js';
import { HttpClient } from '../app/http-client.js';
import { ToolClient } from '../app/tool-client.js';
import { attributesOf, type OtlpReceiver, otlpReceiver } from './otlp-receiver.js';
import { quickFolder } from './quick-folder.js';
import { httpReceiver } from './receiver.js';

const TRACE_ID = '0af7651916cd43dd8448eb211c80319c';
const TRACEPARENT = `00-${TRACE_ID}-b7ad6b7169203331-01`;
const INTERVALS = { OTEL_METRIC_EXPORT_INTERVAL: '3600000', OTEL_BSP_SCHEDULE_DELAY: '3600000' };

type Variables = Readonly<Record<string, string>>;

interface ServiceUnderTest {
  /** The version in the manifest of the package. */
  version: string;
  /** Returns the variables that choose the store, which is empty. */
  storeVariables(): Promise<Variables>;
  /** Returns an error as the driver of the store throws it, with a text. */
  driverError(text: string): Error;
}

/** Starts the service with variables of its store and of OpenTelemetry. Its stop exports what is left. */
async function startedWith(variables: Variables) {
  const dataDir = quickFolder();
  // The SDK reads the environment of the process.
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
  const logged: { fields: LogFields; message: string }[] = [];
  const log = (fields: LogFields, message: string) => void logged.push({ fields, message });
  let deps: Deps | undefined;
  const service = await startService(
    readConfig({ PORT: '0', SERVICE_DATA_DIR: dataDir, SERVICE_LOG_LEVEL: 'silent', ...variables }),
    () => undefined,
    async (config, onFatal) => {
      const container = await createContainer(config, onFatal, { logger: { info: log, warn: log, error: log } });
      deps = container.deps;
      return container;
    },
  );
  let stopped: Promise<void> | undefined;
  const stop = () => (stopped ??= Promise.resolve(service[Symbol.asyncDispose]()));
  onTestFinished(stop);
  const token = readCredentials(dataDir)?.token;
  if (!deps || token === undefined) throw new Error('the service did not start');
  const port = Number(new URL(service.url).port);
  const client = new HttpClient(port);
  onTestFinished(() => client.close());
  const send = (method: string, path: string, body?: object, headers: Record<string, string> = {}) =>
    client.send(method, path, body && JSON.stringify(body), {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      ...headers,
    });
  return { deps, port, token, send, stop, logged };
}

function variablesFor({ endpoint }: OtlpReceiver): Variables {
  return { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json', ...INTERVALS };
}

/** Describes the traces and metrics of a service on a store. */
export function describeTelemetry({ version, storeVariables, driverError }: ServiceUnderTest): void {
  const started = async (variables: Variables = {}) => startedWith({ ...(await storeVariables()), ...variables });
  const startedWithReceiver = async (variables: Variables = {}) => {
    const otlp = await otlpReceiver();
    return { otlp, ...(await started({ ...variablesFor(otlp), ...variables })) };
  };

  describe('without variables of OpenTelemetry', () => {
    test('nothing is traced', async () => {
      const { deps } = await started();

      expect(deps.tracing).toBeUndefined();
    });

    test('OTEL_SDK_DISABLED switches off what the other variables ask for', async () => {
      const { otlp, send, stop, deps } = await startedWithReceiver({ OTEL_SDK_DISABLED: 'true' });

      await send('GET', '/api/memories/stats');
      await stop();

      expect(deps.tracing).toBeUndefined();
      expect(otlp.text()).toBe('');
    });
  });

  describe('spans', () => {
    test('a request is a span with its operation, below the span of its caller', async () => {
      const { otlp, send, stop } = await startedWithReceiver();

      const { headers } = await send('GET', '/api/memories/stats', undefined, { traceparent: TRACEPARENT });
      await stop();

      expect(otlp.spans()).toContainEqual({
        name: 'GET getMemoryStats',
        kind: 'SERVER',
        attributes: {
          'http.request.method': 'GET',
          'http.response.status_code': 200,
          'memory_service.operation': 'getMemoryStats',
          'memory_service.request_id': headers['x-request-id'],
        },
        isFailed: false,
        traceId: TRACE_ID,
        parent: 'b7ad6b7169203331',
      });
    });

    test('embedding and calls of the store are spans below the request', async () => {
      const { otlp, send, stop } = await startedWithReceiver();

      await send('POST', '/api/memories', { content: 'Deploys run on Fridays.' }, { traceparent: TRACEPARENT });
      await stop();

      const spans = otlp.spans().filter(({ parent }) => parent === 'POST ingestMemory');
      expect(spans).toContainEqual({
        name: 'embed',
        kind: 'CLIENT',
        attributes: { 'memory_service.embedder': 'local|terms-and-meaning-1|1024', 'memory_service.texts': 1 },
        isFailed: false,
        traceId: TRACE_ID,
        parent: 'POST ingestMemory',
      });
      expect(spans.map(({ name, kind }) => ({ name, kind }))).toContainEqual({
        name: 'store.transact',
        kind: 'CLIENT',
      });
    });

    test('the request of a tool is a span below the request of its caller', async () => {
      const { otlp, stop, ...service } = await startedWithReceiver();

      const tools = await ToolClient.connect(service);
      await tools.call('memory_stats');
      await stop();

      expect(otlp.spans()).toContainEqual(
        expect.objectContaining({ name: 'GET getMemoryStats', kind: 'INTERNAL', parent: 'POST' }),
      );
    });

    test('a job is a trace of its own, which a delivery passes on to the endpoint', async () => {
      const endpoint = await httpReceiver((response) => response.writeHead(204).end());
      const { otlp, send, stop } = await startedWithReceiver();
      await send('POST', '/api/organization/outbound-webhooks', { url: endpoint.url, events: ['memory.ingested'] });

      await send('POST', '/api/memories', { content: 'Deploys run on Fridays.' }, { traceparent: TRACEPARENT });
      await expect.poll(() => endpoint.received).toHaveLength(1);
      await stop();

      const job = otlp.spans().find(({ name }) => name === 'job deliver-outbound');
      const delivery = otlp.spans().find(({ name }) => name === 'deliver');
      expect(job).toMatchObject({ kind: 'CONSUMER', parent: undefined });
      expect(job?.traceId).not.toBe(TRACE_ID);
      expect(delivery).toMatchObject({
        kind: 'CLIENT',
        parent: 'job deliver-outbound',
        attributes: { 'http.response.status_code': 204 },
      });
      expect(endpoint.received[0]?.headers.traceparent).toMatch(new RegExp(`^00-${job?.traceId}-[0-9a-f]{16}-01$`));
    });

    test('a call of an embedding provider passes the trace on', async () => {
      const provider = await httpReceiver((response) => {
        const data = [{ index: 0, embedding: [1, 0, 0] }];
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ data }));
      });
      const { send } = await startedWithReceiver({
        SERVICE_EMBEDDING_PROVIDER: 'openai',
        SERVICE_EMBEDDING_MODEL: 'own',
        SERVICE_EMBEDDING_DIMENSIONS: '3',
        SERVICE_EMBEDDING_BASE_URL: provider.url.replace('/hook', ''),
      });

      await send('POST', '/api/memories', { content: 'Deploys run on Fridays.' }, { traceparent: TRACEPARENT });

      expect(provider.received[0]?.headers.traceparent).toMatch(new RegExp(`^00-${TRACE_ID}-`));
    });

    test('a failed answer fails its span and that of the store', async () => {
      const { otlp, deps, send, stop } = await startedWithReceiver();
      vi.spyOn(deps.store, 'probe').mockRejectedValue(new TypeError('gone'));

      await send('GET', '/health/ready');
      await send('GET', '/api/memories/00000000-0000-4000-8000-000000000000');
      await stop();

      expect(otlp.spans().filter(({ isFailed }) => isFailed)).toMatchObject([
        { name: 'store.probe', parent: 'GET getReadiness', attributes: { 'error.type': 'TypeError' } },
        { name: 'GET getReadiness', attributes: { 'error.type': 'internal_error' } },
      ]);
    });
  });

  test('neither spans nor metrics contain contents, addresses, tokens, names, ids or places of the store', async () => {
    const store = await storeVariables();
    const endpoint = await httpReceiver((response) => response.writeHead(204).end());
    const { otlp, deps, token, send, stop } = await startedWithReceiver(store);
    const organizations = await deps.store.accounts.organizationIds();

    const secrets = ['Zanzibar', 'zoe@example.com', 'Quagga', 'user-4711', 'ticket-0815', endpoint.url];
    const invitation = { email: 'zoe@example.com', role: 'member' };
    const item = { content: 'Zanzibar', externalKey: 'ticket-0815', metadata: { agentId: 'Quagga' } };
    const answers = [
      await send('POST', '/api/organization/outbound-webhooks', { url: endpoint.url, events: ['memory.ingested'] }),
      await send('POST', '/api/memories', item),
      await send('POST', '/api/memories', { content: 'zoe@example.com', subjectKey: 'user-4711' }),
      await send('POST', '/api/memories/batch', { items: [{ content: 'Zanzibar in a batch' }] }),
      await send('POST', '/api/memories/search', { query: 'Zanzibar', filter: { agentId: 'Quagga' } }),
      await send('POST', '/api/memories/search', { query: 'Zanzibar', mode: 'hybrid' }),
      await send('GET', '/api/memories/recent?limit=5'),
      await send('POST', '/api/organization/invitations', invitation),
      await send('GET', '/api/memories/stats?agentId=Quagga', undefined, { authorization: 'Bearer Quagga' }),
      await send('GET', '/unknown/Zanzibar'),
    ];
    await expect.poll(() => endpoint.received).not.toHaveLength(0);
    vi.spyOn(deps.store, 'probe').mockRejectedValue(driverError(`{ content: "Zanzibar" } at ${store.MONGODB_URI}`));
    const unready = await send('GET', '/health/ready');
    await stop();

    const ids = answers.slice(0, 3).map(({ body }) => (body as { id: string }).id);
    const places = Object.values(store).filter((value) => value.includes('://'));
    const databases = places.map((uri) => new URL(uri).pathname.slice(1));
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 200, 200, 200, 200, 201, 401, 404]);
    expect(unready.status).toBe(500);
    expect(otlp.spans().length).toBeGreaterThan(10);
    expect(organizations).toHaveLength(1);
    const hidden = [...secrets, token, ...organizations, ...ids, ...places, ...databases];
    expect(hidden.filter((secret) => otlp.text().includes(secret))).toEqual([]);
  });

  test('a loaded SDK of the operator stays untouched', async () => {
    const before = Reflect.get(globalThis, Symbol.for('opentelemetry.js.api.1')) as unknown;

    const { send } = await startedWithReceiver();
    await send('GET', '/api/memories/stats');

    expect(Reflect.get(globalThis, Symbol.for('opentelemetry.js.api.1'))).toEqual(before);
  });

  describe('metrics', () => {
    test('are those of Prometheus, under the same names', async () => {
      const { otlp, deps, send, stop } = await startedWithReceiver();
      await send('GET', '/api/memories/stats');
      await send('GET', '/api/memories/stats');
      const prometheus = deps.metrics instanceof PrometheusMetrics ? await deps.metrics.readings() : [];

      await stop();

      const names = otlp.metrics().map(({ name }) => name);
      expect(names).toEqual(expect.arrayContaining(prometheus.map(({ name }) => name)));
      const requests = otlp.metrics().find(({ name }) => name === 'memory_service_requests_total')?.sum;
      expect(requests?.isMonotonic).toBe(true);
      expect(requests?.dataPoints.map((point) => [point.asDouble, attributesOf(point.attributes)])).toContainEqual([
        2,
        { operation: 'getMemoryStats', status: 200 },
      ]);
      const seconds = otlp.metrics().find(({ name }) => name === 'memory_service_request_duration_seconds');
      expect(seconds).toMatchObject({ unit: 's' });
      expect(seconds?.histogram?.dataPoints).toContainEqual(expect.objectContaining({ count: 2 }));
    });

    test('can be sent without spans', async () => {
      const { otlp, deps, send, stop } = await startedWithReceiver({ OTEL_TRACES_EXPORTER: 'none' });

      await send('GET', '/api/memories/stats');
      await stop();

      expect(deps.tracing).toBeUndefined();
      expect(otlp.spans()).toEqual([]);
      expect(otlp.metrics()).not.toEqual([]);
    });
  });

  describe('the collector', () => {
    test('gets the name and attributes of the service, and the headers that the operator sets', async () => {
      const { otlp, send, stop } = await startedWithReceiver({
        OTEL_SERVICE_NAME: 'memories-eu',
        OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment=staging',
        OTEL_EXPORTER_OTLP_HEADERS: 'x-api-key=abc',
      });

      await send('GET', '/api/memories/stats');
      await stop();

      expect(otlp.resource()).toMatchObject({
        'service.name': 'memories-eu',
        'service.version': version,
        'deployment.environment': 'staging',
      });
      expect(otlp.headers()).toContainEqual(expect.objectContaining({ 'x-api-key': 'abc' }));
    });

    test('is sent protobuf unless JSON is asked for', async () => {
      const { otlp, send, stop } = await startedWithReceiver({ OTEL_EXPORTER_OTLP_PROTOCOL: '' });

      await send('GET', '/api/memories/stats');
      await stop();

      expect(otlp.headers().map((headers) => headers['content-type'])).toEqual(
        expect.arrayContaining(['application/x-protobuf']),
      );
    });

    test('that fails is logged once, and its recovery too', async () => {
      const { otlp, send, stop, logged } = await startedWithReceiver({
        OTEL_METRICS_EXPORTER: 'none',
        OTEL_BSP_SCHEDULE_DELAY: '10',
      });
      const told = () => logged.filter(({ message }) => message.includes('collector'));
      otlp.answerWith(401);

      await send('GET', '/api/memories/stats');
      await expect.poll(() => otlp.spans().length).toBeGreaterThan(0);
      await send('GET', '/api/memories/stats');
      await expect.poll(told).toHaveLength(1);
      otlp.answerWith(200);
      await send('GET', '/api/memories/stats');
      await expect.poll(told).toHaveLength(2);
      await stop();

      expect(told()).toEqual([
        { fields: { code: '401' }, message: 'the OpenTelemetry collector gets no spans' },
        { fields: {}, message: 'the OpenTelemetry collector gets spans again' },
      ]);
    });
  });
}
