import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/**
 * The metrics of a process, in a registry of its own. The one place that knows prom-client: its successor needs Node 22, and two of
 * them must never meet in one process.
 */
export interface MetricsRegistry {
  counter<Label extends string = never>(name: string, help: string, labels?: readonly Label[]): Counter<Label>;
  gauge<Label extends string = never>(name: string, help: string, labels?: readonly Label[]): Gauge<Label>;
  histogram<Label extends string = never>(
    name: string,
    help: string,
    buckets: readonly number[],
    labels?: readonly Label[],
  ): Histogram<Label>;
  /** As Prometheus reads it: https://prometheus.io/docs/instrumenting/exposition_formats/. */
  text(): Promise<string>;
  contentType: string;
}

/** How often the delay of the event loop is sampled. Milliseconds; each sample wakes the process. */
const LOOP_SAMPLE_MS = 200;
const PREFIX = 'escapement_';
/** Gauges that are named as counters are: `promtool check metrics` refuses them. What they sum up is there by type. */
const MISNAMED = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total'];

/** `process_*` and `nodejs_*` come from prom-client, all others begin with `escapement_`. */
export function createRegistry(): MetricsRegistry {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: LOOP_SAMPLE_MS });
  for (const name of MISNAMED) registry.removeSingleMetric(name);
  return {
    counter: (name, help, labels = []) =>
      new Counter({ name: PREFIX + name, help, labelNames: [...labels], registers }),
    gauge: (name, help, labels = []) => new Gauge({ name: PREFIX + name, help, labelNames: [...labels], registers }),
    histogram: (name, help, buckets, labels = []) =>
      new Histogram({ name: PREFIX + name, help, labelNames: [...labels], buckets: [...buckets], registers }),
    text: () => registry.metrics(),
    contentType: registry.contentType,
  };
}
