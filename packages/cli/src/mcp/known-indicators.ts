/** The service's catalogue, asked for once; it changes only when the service does. */

import { type Catalogue, type CatalogueIndicator, TapeloomError } from '@tapeloom/client';
import type { Service } from './service.ts';

export class KnownIndicators {
  readonly #service: Service;
  #asked: Promise<Catalogue> | null = null;

  constructor(service: Service) {
    this.#service = service;
  }

  /** The question is shared by the calls that wait for it, so no call's signal ends it. */
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
