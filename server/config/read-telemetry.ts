import type { EnvReader } from './env-reader.js';

const ENCODINGS = ['http/protobuf', 'http/json'] as const;
const EXPORTERS = ['otlp', 'none'] as const;

/** Signals that are sent to an OpenTelemetry collector. The other variables of OpenTelemetry are read by its SDK. */
export interface TelemetryConfig {
  /** How spans are encoded. Undefined if none are sent. */
  traces: (typeof ENCODINGS)[number] | undefined;
  /** How metrics are encoded. Undefined if none are sent. */
  metrics: (typeof ENCODINGS)[number] | undefined;
  metricsIntervalMs: number;
}

/** Returns undefined if no variable of OpenTelemetry asks for spans or metrics. */
export function readTelemetry(read: EnvReader): TelemetryConfig | undefined {
  if (read.text('OTEL_SDK_DISABLED')?.toLowerCase() === 'true') return undefined;
  const traces = readSignal(read, 'TRACES');
  const metrics = readSignal(read, 'METRICS');
  if (!traces && !metrics) return undefined;
  const metricsIntervalMs = read.integer('OTEL_METRIC_EXPORT_INTERVAL', 60_000, 100, 86_400_000);
  return { traces, metrics, metricsIntervalMs };
}

function readSignal(read: EnvReader, signal: 'TRACES' | 'METRICS'): (typeof ENCODINGS)[number] | undefined {
  const endpoints = [`OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`, 'OTEL_EXPORTER_OTLP_ENDPOINT'];
  const endpoint = endpoints.find((name) => read.text(name) !== undefined);
  const exporter = read.oneOf(`OTEL_${signal}_EXPORTER`, EXPORTERS, endpoint ? 'otlp' : 'none');
  if (exporter === 'none') return undefined;
  if (endpoint && !isWebAddress(read.text(endpoint))) {
    read.faults.push(`set ${endpoint} to an http or https URL, such as http://127.0.0.1:4318`);
  }
  const protocols = [`OTEL_EXPORTER_OTLP_${signal}_PROTOCOL`, 'OTEL_EXPORTER_OTLP_PROTOCOL'] as const;
  const protocol = protocols.find((name) => read.text(name) !== undefined) ?? protocols[1];
  return read.oneOf(protocol, ENCODINGS, 'http/protobuf');
}

function isWebAddress(text = ''): boolean {
  return /^https?:\/\//.test(text) && URL.canParse(text);
}
