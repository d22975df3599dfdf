/** The options of a client: the service's address, the credentials, and the platform functions it uses. */

import type { ZstdDecompressor } from './export/zstd-decompressor.ts';
import type { CatalogueFingerprint } from './indicator-types.ts';
import { TapeloomError } from './tapeloom-error.ts';

const DEFAULT_URL = 'http://127.0.0.1:8080';
/** Characters that an HTTP header can carry. */
const KEY = /^[\x21-\x7e]{1,512}$/;

export interface ClientOptions {
  /** The address of the service, such as `https://api.example.com`. Default: `http://localhost:8080`. */
  readonly url?: string | undefined;
  /** An API key. Do not use it in browsers: everyone who opens the page could read it. */
  readonly key?: string | undefined;
  /** For streams in browsers, instead of the key: the client calls it for a fresh stream token at every connection. */
  readonly token?: (() => string | Promise<string>) | undefined;
  /**
   * Default: the platform's. If yours sends requests to your own backend, which adds the key, the client needs no key.
   * The backend must forward the header `Idempotency-Key`.
   */
  readonly fetch?: typeof fetch;
  /**
   * How many times in a row the client repeats a GET after no response or a temporary error (500, 502, 503, 504).
   * Default: 2; 5 for a page of history and for resuming an export; 0 until the service has responded once. Nothing is
   * charged twice.
   */
  readonly maxRetries?: number;
  /** The longest wait for the next byte of a response, in milliseconds. Default: 120,000. */
  readonly timeout?: number;
  /** Default: the platform's. */
  readonly WebSocket?: WebSocketConstructor;
  /** Default: the system's clock. */
  readonly clock?: ClientClock;
  /** Returns a number from 0 to below 1, to spread the reconnections of many clients. Default: `Math.random`. */
  readonly random?: () => number;
  /** Called with problems that the client survives. Default: the console's `warn`. */
  readonly onWarning?: (warning: ClientWarning) => void;
  /** A line per step of the stream's connection: `true` for the console's `debug`, or a function for the lines. */
  readonly debug?: boolean | ((line: string) => void);
  /** Decompresses zstd where the platform cannot. Only exports need it. */
  readonly decompressZstd?: ZstdDecompressor;
  /** The catalogue that your own types were made from: `CATALOGUE_FINGERPRINT` of their file. */
  readonly catalogue?: CatalogueFingerprint;
}

/** The client's source of time. */
export interface ClientClock {
  /** Milliseconds; never goes back. */
  now(): number;
  after(ms: number, call: () => void): { cancel(): void };
}

/** The part of a WebSocket that the client uses. */
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

/** If you use a key, it is called with headers, which Node accepts and browsers do not. */
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
 * - `CONNECTION_FAILED`: three attempts in a row failed, with the reason; the client keeps trying.
 * - `LISTENER_FAILED`: a function of yours has thrown.
 * - `TOKEN_FAILED`: the option `token` gave no token; it is called again.
 * - `BAD_MESSAGE`: one side sent a message that the other cannot parse.
 * - `REQUEST_RETRIED`: a GET got no response or a temporary error; it is repeated.
 * - `SUBSCRIPTION_RETRIED`: the server suspended a running subscription; it is requested again.
 * - `SLOW_READER`: an iteration fell so far behind that updates are left out.
 * - `CACHE_FAILED`: the folder of a history cache cannot be read or written; pages come from the service.
 * - `CATALOG_CHANGED`: the service's catalogue differs from the one that the types were made from.
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

/** The address of the service, without a trailing slash or version. */
export function serviceBase({ url: text = DEFAULT_URL }: ClientOptions): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isGood =
    url !== null &&
    /^https?:$/.test(url.protocol) &&
    url.username === '' &&
    url.password === '' &&
    url.search === '' &&
    url.hash === '';
  // The service gives its addresses with the version; both forms work here.
  if (isGood) return url.href.replace(/\/+$/, '').replace(/\/v1$/, '');
  throw new TapeloomError(
    'CONFIGURATION',
    'The option "url" must be the http or https address of the service, such as https://api.example.com, without user, query or fragment.',
  );
}

/** The key, if there is one. The message does not quote a wrong one: it may be a key with a line break. */
export function serviceKey({ key }: ClientOptions): string | undefined {
  if (key === undefined || (typeof key === 'string' && KEY.test(key))) return key;
  throw new TapeloomError('CONFIGURATION', 'The option "key" is not the text of an API key.');
}

/** The function for debug lines; null without the option `debug`. */
export function debugSink({ debug = false }: ClientOptions): ((line: string) => void) | null {
  if (typeof debug === 'function') return debug;
  return debug ? (line) => console.debug(`Tapeloom: ${line}`) : null;
}

/**
 * A function that reports warnings, the one about the catalogue only once. Errors of `onWarning` can only be logged.
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
