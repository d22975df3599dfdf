/**
 * The metrics of the service, loaded when it is up or somebody scrapes: they take 80 modules that no start has to
 * wait for. What is told to them before waits, and is told then.
 */

import type { Registry } from 'prom-client';
import type { ServiceMetrics } from './service-metrics.ts';

/** So much waits at most; then they come. */
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
    // Whoever scrapes hears of it if they cannot be loaded.
    if (this.#waiting.length >= WAITING_MAX) this.registry().catch(() => undefined);
  }

  registry(): Promise<Registry> {
    this.#registry ??= this.#load().catch((error: unknown) => {
      // The next who asks tries again; what has waited so long is not counted.
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
