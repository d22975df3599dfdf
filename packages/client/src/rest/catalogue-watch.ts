/**
 * Detects that the service's catalogue differs from the one that the types were made from. It looks at ordinary
 * responses: the catalogue has its version, and every result has the fingerprint of the computation.
 */

import type { CatalogueFingerprint } from '../indicator-types.ts';
import type { ClientWarning } from '../options.ts';

export class CatalogueWatch {
  readonly #types: CatalogueFingerprint;
  readonly #warn: (warning: ClientWarning) => void;

  constructor(types: CatalogueFingerprint, warn: (warning: ClientWarning) => void) {
    this.#types = types;
    this.#warn = warn;
  }

  look(answer: { readonly version?: unknown; readonly engineFingerprint?: unknown }): void {
    const { version, engineFingerprint } = answer;
    if (typeof engineFingerprint !== 'string') return;
    const isOther =
      engineFingerprint !== this.#types.engineFingerprint ||
      (typeof version === 'string' && version !== this.#types.version);
    if (!isOther) return;
    const message =
      "The service's catalogue is another than the one the types were made from: parameters and data may " +
      'differ. Run `npx tapeloom-types` to update the types.';
    this.#warn({ code: 'CATALOG_CHANGED', message });
  }
}
