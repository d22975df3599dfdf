/**
 * The registry of metrics. Modules count in plain records of their own. A metric here is a name, a help text and a
 * function that reads the current value, called only by a scrape.
 */

import { Counter, collectDefaultMetrics, Gauge, type Metric, Registry } from 'prom-client';
import { VERSION } from './version.ts';

export interface Reading {
  readonly name: `tapeloom_${string}`;
  readonly help: string;
  readonly kind: 'counter' | 'gauge';
  /** The current value, or one for each value of `label`. */
  read(): number | Readonly<Record<string, number>>;
  readonly label?: string;
}

/** A histogram that is counted elsewhere: cumulative buckets by their upper end. */
export interface HistogramReading {
  readonly name: `tapeloom_${string}`;
  readonly help: string;
  read(): {
    readonly buckets: Readonly<Record<string, number>>;
    readonly sum: number;
    readonly count: number;
  };
}

/** Gauges of prom-client whose names suggest counters; we do not use them. */
const MISNAMED = [
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
];

export function gauge(name: Reading['name'], help: string, read: () => number): Reading {
  return { name, help, kind: 'gauge', read };
}

export function counter(name: Reading['name'], help: string, read: () => number): Reading {
  return { name, help, kind: 'counter', read };
}

export function createMetrics(): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  for (const name of MISNAMED) registry.removeSingleMetric(name);
  const info = new Gauge({
    name: 'tapeloom_build_info',
    help: 'Always 1: which version of the program runs, on which Node.',
    labelNames: ['version', 'node'],
    registers: [registry],
  });
  info.set({ version: VERSION, node: process.version }, 1);
  return registry;
}

export function addHistogram(registry: Registry, reading: HistogramReading): void {
  const { name, help } = reading;
  const get = async () => {
    const { buckets, sum, count } = reading.read();
    const values = [
      ...Object.entries(buckets).map(([le, value]) => {
        return { metricName: `${name}_bucket`, labels: { le }, value };
      }),
      { metricName: `${name}_sum`, labels: {}, value: sum },
      { metricName: `${name}_count`, labels: {}, value: count },
    ];
    return { name, help, type: 'histogram', values, aggregator: 'sum' };
  };
  // The part of a metric that a registry uses; prom-client's own class only takes single observations.
  const metric = { name, help, type: 'histogram', labelNames: ['le'], get };
  registry.registerMetric(metric as unknown as Metric);
}

export function addReading(registry: Registry, reading: Reading): void {
  const { name, help, label } = reading;
  const labelNames = label === undefined ? [] : [label];
  const options = { name, help, labelNames, registers: [registry] };
  const each = (set: (labels: Record<string, string>, value: number) => void) => {
    const value = reading.read();
    if (typeof value === 'number') return set({}, value);
    for (const [labelValue, part] of Object.entries(value)) set({ [label!]: labelValue }, part);
  };
  if (reading.kind === 'gauge') {
    const gauge: Gauge = new Gauge({
      ...options,
      collect: () => each((labels, value) => gauge.set(labels, value)),
    });
    return;
  }
  const counter: Counter = new Counter({
    ...options,
    collect: () => {
      counter.reset();
      each((labels, value) => counter.inc(labels, value));
    },
  });
}
