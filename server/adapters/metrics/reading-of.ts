import type { LabeledHistogram, Labels, MetricReading } from '../../ports/metrics.js';

/** A metric as prom-client returns it. Its declaration gives `type` as a number, but it is a word. */
interface Metric {
  name: string;
  help: string;
  type: unknown;
  values: readonly Value[];
}

interface Value {
  value: number;
  labels: Partial<Record<string, string | number>>;
  /** Set on the values of histograms: the name with `_bucket`, `_sum` or `_count`. */
  metricName?: string;
}

export function readingOf({ name, help, type, values }: Metric): MetricReading {
  if (type === 'histogram') return { name, help, kind: 'histogram', values: histograms(name, values) };
  const kind = type === 'counter' ? 'counter' : 'gauge';
  return { name, help, kind, values: values.map(({ value, labels }) => ({ value, labels: defined(labels) })) };
}

/** Returns one histogram for each set of labels. prom-client lists each bucket and total by itself, in their order. */
function histograms(name: string, values: readonly Value[]): LabeledHistogram[] {
  const parts = new Map<string, Value[]>();
  for (const value of values) {
    const key = JSON.stringify(withoutBound(value.labels));
    parts.set(key, [...(parts.get(key) ?? []), value]);
  }
  return [...parts.values()].map((each) => histogram(name, each));
}

function histogram(name: string, parts: readonly Value[]): LabeledHistogram {
  const buckets = parts.filter(({ metricName }) => metricName === `${name}_bucket`);
  const totalOf = (suffix: string) => parts.find(({ metricName }) => metricName === `${name}_${suffix}`)?.value ?? 0;
  return {
    labels: withoutBound(parts[0]?.labels ?? {}),
    bounds: buckets.slice(0, -1).map(({ labels }) => Number(labels.le)),
    // prom-client counts in each bucket also the observations of those before it.
    counts: buckets.map(({ value }, index) => value - (buckets[index - 1]?.value ?? 0)),
    sum: totalOf('sum'),
    count: totalOf('count'),
  };
}

function withoutBound({ le: _, ...labels }: Value['labels']): Labels {
  return defined(labels);
}

function defined(labels: Value['labels']): Labels {
  const entries = Object.entries(labels);
  return Object.fromEntries(entries.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
}
