/** What a client is made of: where the service is, who asks, and what of the platform is used. */

import type { ZstdDecompressor } from './export/zstd-decompressor.ts';
import type { CatalogueFingerprint } from './indicator-types.ts';
import { TapeloomError } from './tapeloom-error.ts';

const DEFAULT_URL = 'http://127.0.0.1:8080';
/** What a header can carry. */
const KEY = /^[\x21-\x7e]{1,512}$/;

export interface ClientOptions {
  /** Of the service, such as `https://api.example.com`; `http://localhost:8080` if it is left out. */
  readonly url?: string | undefined;
  /** An API key. Not for browsers: whoever opens the page could read it. */
  readonly key?: string | undefined;
  /** In place of the key, for streams in browsers: asked for a fresh stream token at every connection. */
  readonly token?: (() => string | Promise<string>) | undefined;
  /**
   * The platform's, if it is left out. One that asks a backend of yours, which adds the key, needs no key here; the
   * backend passes the header `Idempotency-Key` on.
   */
  readonly fetch?: typeof fetch;
  /**
   * How often in a row a GET is sent again that got no answer, or one that passes by itself (500, 502, 503, 504). Left out: 2 times,
   * a page of history and a resume of an export 5 times; a service that has never answered is not asked again. Nothing is
   * charged twice.
   */
  readonly maxRetries?: number;
  /** How long a request waits for the next byte of its answer, in milliseconds; 120,000 if it is left out. */
  readonly timeout?: number;
  /** The platform's, if it is left out. */
  readonly WebSocket?: WebSocketConstructor;
  /** The system's, if it is left out. */
  readonly clock?: ClientClock;
  /** From 0 to 1, without 1: spreads the reconnections of many clients. `Math.random`, if it is left out. */
  readonly random?: () => number;
  /** Hears what is worth knowing and stops nothing. The console's `warn`, if it is left out. */
  readonly onWarning?: (warning: ClientWarning) => void;
  /** `true`: the console's `debug` gets a line for each step in the life of the stream's connection; or what takes the lines. */
  readonly debug?: boolean | ((line: string) => void);
  /** Where the platform cannot expand zstd: what does it. Exports alone need it. */
  readonly decompressZstd?: ZstdDecompressor;
  /** From which catalogue your own types were made: `CATALOGUE_FINGERPRINT` of the file with them. */
  readonly catalogue?: CatalogueFingerprint;
}

/** Time as the client sees it. */
export interface ClientClock {
  /** Milliseconds; goes only forward. */
  now(): number;
  after(ms: number, call: () => void): { cancel(): void };
}

/** As much of a WebSocket as the client uses. */
export interface WebSocketLike {
  send(text: string): void;
  close(code?: number, reason?: string): void;
  addEventListener(kind: 'open' | 'error', hear: (event: unknown) => void): void;
  addEventListener(kind: 'message', hear: (event: { readonly data: unknown }) => void): void;
  addEventListener(
    kind: 'close',
    hear: (event: { readonly code: number; readonly reason: string }) => void,
  ): void;
}

/** With a key it is called with headers, as Node's takes them and browsers' do not. */
export type WebSocketConstructor = new (
  url: string,
  options?: { readonly headers: Readonly<Record<string, string>> },
) => WebSocketLike;

/** `code` is for programs, `message` for people. */
export interface ClientWarning {
  readonly code: ClientWarningCode;
  readonly message: string;
  readonly cause?: unknown;
}

/**
 * `CONNECTION_FAILED`: the stream could not be reached three times in a row, and why; it is tried further.
 * `LISTENER_FAILED`: a function the caller gave has thrown. `TOKEN_FAILED`: no token came; it is asked for
 * again. `BAD_MESSAGE`: one side sent what the other cannot understand.
 * `REQUEST_RETRIED`: a GET got no answer, or one that passes by itself; it is sent again.
 * `SUBSCRIPTION_RETRIED`: a subscription that ran was refused for a while; it is asked for again.
 * `SLOW_READER`: an iteration is so far behind that it goes on with a snapshot.
 * `CACHE_FAILED`: the folder of a history cache cannot be read or written; pages come from the service.
 * `CATALOG_CHANGED`: the server's catalogue is another than the one the types were made from.
 */
export type ClientWarningCode =
  | 'CONNECTION_FAILED'
  | 'LISTENER_FAILED'
  | 'TOKEN_FAILED'
  | 'BAD_MESSAGE'
  | 'REQUEST_RETRIED'
  | 'SUBSCRIPTION_RETRIED'
  | 'SLOW_READER'
  | 'CACHE_FAILED'
  | 'CATALOG_CHANGED';

export const SYSTEM_CLOCK: ClientClock = {
  now: () => performance.now(),
  after: (ms, call) => {
    const timer = setTimeout(call, ms);
    return { cancel: () => clearTimeout(timer) };
  },
};

/** The address of the service, without a slash or the version at its end. */
export function serviceBase({ url: text = DEFAULT_URL }: ClientOptions): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isGood =
    url !== null &&
    /^https?:$/.test(url.protocol) &&
    url.username === '' &&
    url.password === '' &&
    url.search === '' &&
    url.hash === '';
  // The service tells its addresses with the version behind them: either form is understood.
  if (isGood) return url.href.replace(/\/+$/, '').replace(/\/v1$/, '');
  throw new TapeloomError(
    'CONFIGURATION',
    'The option "url" must be the http or https address of the service, such as https://api.example.com, without user, query or fragment.',
  );
}

/** The key, which may be left out. The text of a wrong one is not told: it may be a key with a line break. */
export function serviceKey({ key }: ClientOptions): string | undefined {
  if (key === undefined || (typeof key === 'string' && KEY.test(key))) return key;
  throw new TapeloomError('CONFIGURATION', 'The option "key" is not the text of an API key.');
}

/** Takes the lines of the option `debug`; null where nobody wants them. */
export function debugSink({ debug = false }: ClientOptions): ((line: string) => void) | null {
  if (typeof debug === 'function') return debug;
  return debug ? (line) => console.debug(`Tapeloom: ${line}`) : null;
}

/**
 * Tells a warning; of the catalogue once, since it stays another. Who hears it must not throw: there is
 * nobody left to tell.
 */
export function warner({
  onWarning = (it) => console.warn(`Tapeloom: ${it.message}`, ...(it.cause ? [it.cause] : [])),
}: ClientOptions): (warning: ClientWarning) => void {
  let hasToldCatalogue = false;
  return (warning) => {
    if (warning.code === 'CATALOG_CHANGED') {
      if (hasToldCatalogue) return;
      hasToldCatalogue = true;
    }
    try {
      onWarning(warning);
    } catch (cause) {
      console.error('Tapeloom: the option "onWarning" has thrown.', cause);
    }
  };
}
