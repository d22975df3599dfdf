/** Every metric of a node with all features on, by name, with its labels. */

import { createMetrics } from '../../src/platform/metrics.ts';
import { ServiceMetrics } from '../../src/process/metrics/service-metrics.ts';

/** Metrics are read only on a scrape, so any source will do. */
const anything: object = new Proxy(() => {}, { get: () => anything });

export interface ExposedMetric {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  readonly labels: readonly string[];
}

export function exposedMetrics(): ReadonlyMap<string, readonly string[]> {
  return new Map(listedMetrics().map(({ name, labels }) => [name, labels]));
}

export function listedMetrics(): readonly ExposedMetric[] {
  const registry = createMetrics();
  const metrics = new ServiceMetrics(registry);
  for (const name of Object.getOwnPropertyNames(ServiceMetrics.prototype)) {
    if (!name.startsWith('watch')) continue;
    const watch = Reflect.get(metrics, name) as (...args: readonly object[]) => void;
    watch.call(metrics, anything, anything, anything);
  }
  return registry.getMetricsAsArray().map((metric) => {
    const { name, help, type, labelNames } = metric as unknown as ExposedMetric & {
      readonly labelNames?: readonly string[];
    };
    return { name, help, type, labels: labelNames ?? [] };
  });
}
