/**
 * The metrics of the service, loaded once it is up or at the first scrape: their 80 modules would delay every start.
 * Earlier updates are queued and applied then.
 */

import type { Registry } from 'prom-client';
import type { ServiceMetrics } from './service-metrics.ts';

/** The limit of the queue; beyond it the metrics are loaded. */
const WAITING_MAX = 1_000;

export class LateMetrics {
  readonly #logLinesLeftOut: (() => number) | undefined;
  #waiting: ((metrics: ServiceMetrics) => void)[] = [];
  #metrics: ServiceMetrics | null = null;
  #registry: Promise<Registry> | null = null;

  constructor(logLinesLeftOut: (() => number) | undefined) {
    this.#logLinesLeftOut = logLinesLeftOut;
  }

  tell(what: (metrics: ServiceMetrics) => void): void {
    if (this.#metrics !== null) {
      what(this.#metrics);
      return;
    }
    this.#waiting.push(what);
    // If loading fails, the next scrape reports it.
    if (this.#waiting.length >= WAITING_MAX) this.registry().catch(() => undefined);
  }

  registry(): Promise<Registry> {
    this.#registry ??= this.#load().catch((error: unknown) => {
      // The next caller tries again; updates beyond the limit are dropped.
      this.#registry = null;
      this.#waiting = this.#waiting.slice(0, WAITING_MAX);
      throw error;
    });
    return this.#registry;
  }

  async #load(): Promise<Registry> {
    const { createMetrics } = await import('../../platform/metrics.ts');
    const { ServiceMetrics } = await import('./service-metrics.ts');
    const registry = createMetrics();
    const metrics = new ServiceMetrics(registry, this.#logLinesLeftOut);
    for (const what of this.#waiting) what(metrics);
    this.#waiting = [];
    this.#metrics = metrics;
    return registry;
  }
}
