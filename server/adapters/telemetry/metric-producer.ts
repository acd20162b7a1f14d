import { type HrTime, ValueType } from '@opentelemetry/api';
import { millisToHrTime } from '@opentelemetry/core';
import type { Resource } from '@opentelemetry/resources';
import {
  AggregationTemporality,
  DataPointType,
  type MetricData,
  type MetricProducer,
} from '@opentelemetry/sdk-metrics';
import type { MetricReading } from '../../ports/metrics.js';

const UNITS: readonly (readonly [RegExp, string])[] = [
  [/_seconds(?:_total)?$/, 's'],
  [/_bytes$/, 'By'],
];

/** Returns the metrics of the service under the names that Prometheus reads. Their counts begin with the process. */
export function metricProducer(
  read: () => Promise<readonly MetricReading[]>,
  resource: Resource,
  scopeName: string,
): MetricProducer {
  const startTime = millisToHrTime(performance.timeOrigin);
  return {
    async collect() {
      const readings = await read();
      const endTime = millisToHrTime(Date.now());
      const metrics = readings.map((reading) => toMetricData(reading, { startTime, endTime }));
      return { resourceMetrics: { resource, scopeMetrics: [{ scope: { name: scopeName }, metrics }] }, errors: [] };
    },
  };
}

function toMetricData(reading: MetricReading, times: { startTime: HrTime; endTime: HrTime }): MetricData {
  const { name, help } = reading;
  const unit = UNITS.find(([pattern]) => pattern.test(name))?.[1] ?? '';
  const common = {
    descriptor: { name, description: help, unit, valueType: ValueType.DOUBLE },
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
  };
  if (reading.kind === 'histogram') {
    const dataPoints = reading.values.map(({ labels, bounds, counts, sum, count }) => ({
      ...times,
      attributes: labels,
      value: { buckets: { boundaries: [...bounds], counts: [...counts] }, sum, count },
    }));
    return { ...common, dataPointType: DataPointType.HISTOGRAM, dataPoints };
  }
  // A mean of nothing is not a number, which JSON does not have.
  const values = reading.values.filter(({ value }) => Number.isFinite(value));
  const dataPoints = values.map(({ labels, value }) => ({ ...times, attributes: labels, value }));
  if (reading.kind === 'gauge') return { ...common, dataPointType: DataPointType.GAUGE, dataPoints };
  return { ...common, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints };
}
