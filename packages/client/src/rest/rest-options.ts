/** The options of the REST client, validated once, before anything is sent. */

import { CATALOGUE_FINGERPRINT } from '@tapeloom/protocol/indicators';
import {
  type ClientClock,
  type ClientOptions,
  type ClientWarning,
  SYSTEM_CLOCK,
  serviceBase,
  serviceKey,
  warner,
} from '../options.ts';
import { TapeloomError } from '../tapeloom-error.ts';
import { CatalogueWatch } from './catalogue-watch.ts';

/** A service that computes may take long before its next byte; after this long it counts as gone. */
const SILENCE_MS_MAX = 120_000;
/** The longest delay that timers of the platform support. */
const TIMEOUT_MS_MAX = 2 ** 31 - 1;

export interface RestOptions {
  /** Without a trailing slash. */
  readonly base: string;
  readonly key: string | undefined;
  /** The caller's fetch can add the key itself, through a backend for example. */
  readonly hasOwnFetch: boolean;
  readonly fetch: typeof fetch;
  readonly clock: ClientClock;
  /** Undefined: the default of each request. */
  readonly maxRetries: number | undefined;
  readonly timeoutMs: number;
  readonly warn: (warning: ClientWarning) => void;
  readonly catalogue: CatalogueWatch;
}

export function restOptions(options: ClientOptions): RestOptions {
  const { clock = SYSTEM_CLOCK, fetch: asked = globalThis.fetch } = options;
  const { maxRetries, timeout: timeoutMs = SILENCE_MS_MAX } = options;
  if (maxRetries !== undefined && !(Number.isSafeInteger(maxRetries) && maxRetries >= 0)) {
    throw new TapeloomError(
      'CONFIGURATION',
      'The option "maxRetries" must be a whole number from 0 on.',
    );
  }
  if (!(timeoutMs > 0 && timeoutMs <= TIMEOUT_MS_MAX)) {
    const message = 'The option "timeout" must be a number of milliseconds above 0.';
    throw new TapeloomError('CONFIGURATION', message);
  }
  if (typeof asked !== 'function') {
    throw new TapeloomError(
      'CONFIGURATION',
      'This platform has no fetch: give one as the option "fetch".',
    );
  }
  // Called as a plain function: the platform's fetch fails as a method of another object.
  const fetch: typeof globalThis.fetch = (...request) => asked(...request);
  const warn = warner(options);
  const catalogue = new CatalogueWatch(options.catalogue ?? CATALOGUE_FINGERPRINT, warn);
  const hasOwnFetch = options.fetch !== undefined;
  return {
    base: serviceBase(options),
    key: serviceKey(options),
    hasOwnFetch,
    fetch,
    clock,
    maxRetries,
    timeoutMs,
    warn,
    catalogue,
  };
}
