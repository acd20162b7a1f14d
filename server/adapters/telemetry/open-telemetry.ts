import { createRequire } from 'node:module';
import { setTimeout as pause } from 'node:timers/promises';
import { type ExportResult, ExportResultCode } from '@opentelemetry/core';
import { OTLPMetricExporter as JsonMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import { OTLPMetricExporter as ProtobufMetricExporter } from '@opentelemetry/exporter-metrics-otlp-proto';
import { OTLPTraceExporter as JsonTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtobufTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
  serviceInstanceIdDetector,
} from '@opentelemetry/resources';
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import type { Logger } from '../../logger.js';
import type { MetricReading } from '../../ports/metrics.js';
import type { Tracing } from '../../ports/tracing.js';
import { metricProducer } from './metric-producer.js';
import { OtlpTracing } from './otlp-tracing.js';

const NAME = '@memory-service/server';
/** Longest wait for the last spans and metrics at a stop. Orchestrators kill a process that takes too long. */
const FLUSH_TIMEOUT_MS = 3_000;

type Encoding = 'http/protobuf' | 'http/json';

export interface TelemetryOptions {
  /** How spans are encoded. Undefined if none are sent. */
  traces: Encoding | undefined;
  /** How metrics are encoded. Undefined if none are sent. */
  metrics: Encoding | undefined;
  metricsIntervalMs: number;
}

/** Sends what it was given to the collector. Disposing of it sends the rest. */
export interface Telemetry extends AsyncDisposable {
  /** Undefined if no spans are sent. */
  tracing: Tracing | undefined;
  /** Sends metrics from now on, if they are sent at all. */
  watch(read: () => Promise<readonly MetricReading[]>): void;
}

const SPAN_EXPORTERS = { 'http/protobuf': ProtobufTraceExporter, 'http/json': JsonTraceExporter };
const METRIC_EXPORTERS = { 'http/protobuf': ProtobufMetricExporter, 'http/json': JsonMetricExporter };

/** Starts the OpenTelemetry SDK, which reads addresses, headers, limits and samplers from the environment itself. */
export function openTelemetry({ traces, metrics, metricsIntervalMs }: TelemetryOptions, logger: Logger): Telemetry {
  const resource = defaultResource()
    .merge(resourceFromAttributes({ 'service.name': 'memory-service', 'service.version': release() }))
    .merge(detectResources({ detectors: [serviceInstanceIdDetector, envDetector] }));
  const exporter = traces && reporting(new SPAN_EXPORTERS[traces](), 'spans', logger);
  const tracers = exporter && new BasicTracerProvider({ resource, spanProcessors: [new BatchSpanProcessor(exporter)] });
  const providers: { shutdown(): Promise<void> }[] = tracers ? [tracers] : [];
  return {
    tracing: tracers && new OtlpTracing(tracers.getTracer(NAME)),
    watch(read) {
      if (!metrics) return;
      const reader = new PeriodicExportingMetricReader({
        exporter: reporting(new METRIC_EXPORTERS[metrics](), 'metrics', logger),
        exportIntervalMillis: metricsIntervalMs,
        exportTimeoutMillis: Math.min(metricsIntervalMs, 30_000),
        metricProducers: [metricProducer(read, resource, NAME)],
      });
      providers.push(new MeterProvider({ resource, readers: [reader] }));
    },
    async [Symbol.asyncDispose]() {
      const flushed = Promise.allSettled(providers.map((provider) => provider.shutdown()));
      const waited = new AbortController();
      await Promise.race([
        flushed,
        pause(FLUSH_TIMEOUT_MS, undefined, { signal: waited.signal }).catch(() => undefined),
      ]);
      waited.abort();
    },
  };
}

function release(): string {
  const { version } = createRequire(import.meta.url)('@memory-service/server/package.json') as { version: string };
  return version;
}

interface Exporter<Items> {
  export(items: Items, done: (result: ExportResult) => void): void;
}

/** Logs when exports begin to fail, and when they succeed again. */
function reporting<Items, Given extends Exporter<Items>>(exporter: Given, what: string, logger: Logger): Given {
  const send = exporter.export.bind(exporter);
  let failing = false;
  exporter.export = (items, done) =>
    send(items, (result) => {
      const fails = result.code !== ExportResultCode.SUCCESS;
      if (fails && !failing) logger.warn({ code: codeOf(result.error) }, `the OpenTelemetry collector gets no ${what}`);
      if (!fails && failing) logger.info({}, `the OpenTelemetry collector gets ${what} again`);
      failing = fails;
      done(result);
    });
  return exporter;
}

/** Returns the status of the answer or the code of the connection. The message may contain what the collector sent. */
function codeOf(error: (Error & { code?: unknown }) | undefined): string {
  return String(error?.code ?? error?.name);
}
