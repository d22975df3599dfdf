/** Every metric that a node with everything switched on would expose, by its name, with the names of its labels. */

import { createMetrics } from '../../src/platform/metrics.ts';
import { ServiceMetrics } from '../../src/process/metrics/service-metrics.ts';

/** Metrics read only when somebody scrapes: until then anything does for what they read. */
const anything: object = new Proxy(() => {}, { get: () => anything });

export function exposedMetrics(): ReadonlyMap<string, readonly string[]> {
  const registry = createMetrics();
  const metrics = new ServiceMetrics(registry);
  for (const name of Object.getOwnPropertyNames(ServiceMetrics.prototype)) {
    if (!name.startsWith('watch')) continue;
    const watch = Reflect.get(metrics, name) as (...args: readonly object[]) => void;
    watch.call(metrics, anything, anything, anything);
  }
  const labelsOf = (metric: object) =>
    (metric as { readonly labelNames?: readonly string[] }).labelNames ?? [];
  return new Map(
    registry.getMetricsAsArray().map((metric) => [metric.name, labelsOf(metric)] as const),
  );
}
