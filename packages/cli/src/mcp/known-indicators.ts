/** The service's catalogue, requested once: it changes only with a new version of the service. */

import { type Catalogue, type CatalogueIndicator, TapeloomError } from '@tapeloom/client';
import type { Service } from './service.ts';

export class KnownIndicators {
  readonly #service: Service;
  #asked: Promise<Catalogue> | null = null;

  constructor(service: Service) {
    this.#service = service;
  }

  /** Concurrent callers share one request, so no single caller's signal aborts it. */
  async all(): Promise<readonly CatalogueIndicator[]> {
    this.#asked ??= this.#service.indicators().catch((error: unknown) => {
      this.#asked = null;
      throw error;
    });
    return (await this.#asked).indicators;
  }

  async named(id: string): Promise<CatalogueIndicator> {
    const all = await this.all();
    const found = all.find((indicator) => indicator.id === id);
    if (found !== undefined) return found;
    const ids = all.map((indicator) => indicator.id).join(', ');
    throw new TapeloomError('UNKNOWN_INDICATOR', `There is no indicator ${id}. There are: ${ids}.`);
  }
}
