/**
 * The registry of metrics. Rooms count in plain records of their own; here a metric is a name, a help
 * text and a way to read the present value, asked only when somebody scrapes.
 */

import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';

export interface Reading {
  readonly name: `tapeloom_${string}`;
  readonly help: string;
  readonly kind: 'counter' | 'gauge';
  /** The present value, or one value per value of `label`. */
  read(): number | Readonly<Record<string, number>>;
  readonly label?: string;
}

export function gauge(name: Reading['name'], help: string, read: () => number): Reading {
  return { name, help, kind: 'gauge', read };
}

export function counter(name: Reading['name'], help: string, read: () => number): Reading {
  return { name, help, kind: 'counter', read };
}

export function createMetrics(): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  return registry;
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
