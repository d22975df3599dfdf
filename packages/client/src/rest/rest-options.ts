/** The options of the client as far as REST goes, judged once: what cannot work is said before anything is sent. */

import { CATALOGUE_FINGERPRINT } from '@tapeloom/protocol/indicators';
import {
  type ClientClock,
  type ClientOptions,
  SYSTEM_CLOCK,
  serviceBase,
  serviceKey,
  warner,
} from '../options.ts';
import { TapeloomError } from '../tapeloom-error.ts';
import { CatalogueWatch } from './catalogue-watch.ts';

export interface RestOptions {
  /** Without a slash at its end. */
  readonly base: string;
  readonly key: string | undefined;
  /** The caller's own fetch can add a key behind it, as the backend of a page does. */
  readonly hasOwnFetch: boolean;
  readonly fetch: typeof fetch;
  readonly clock: ClientClock;
  readonly catalogue: CatalogueWatch;
}

export function restOptions(options: ClientOptions): RestOptions {
  const { clock = SYSTEM_CLOCK, fetch: asked = globalThis.fetch } = options;
  if (typeof asked !== 'function') {
    throw new TapeloomError(
      'CONFIGURATION',
      'This platform has no fetch: give one as the option "fetch".',
    );
  }
  // Called by itself: the platform's own refuses to be a method of something else.
  const fetch: typeof globalThis.fetch = (...request) => asked(...request);
  const catalogue = new CatalogueWatch(options.catalogue ?? CATALOGUE_FINGERPRINT, warner(options));
  const hasOwnFetch = options.fetch !== undefined;
  return {
    base: serviceBase(options),
    key: serviceKey(options),
    hasOwnFetch,
    fetch,
    clock,
    catalogue,
  };
}
