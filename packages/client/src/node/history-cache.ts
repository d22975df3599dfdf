/**
 * A local cache for history pages you have paid for: a `fetch` that stores pages in a folder. The service marks
 * immutable pages with a strong `ETag`; only these are cached. Each use is validated with the service
 * (`If-None-Match`), which costs a request but no compute units.
 */

import { createHash } from 'node:crypto';
import { type ClientWarning, warner } from '../options.ts';
import { joinBytes } from '../rest/open-answer.ts';
import { TapeloomError } from '../tapeloom-error.ts';
import { PAGE_BYTES_MAX, PageFolder } from './page-folder.ts';

const BYTES_MAX = 1024 ** 3;
const BYTES_MAX_LEAST = 1024 ** 2;
const HISTORY = /\/v1\/history$/;
/** The end of a page, with its cost. A cached page costs nothing. */
const COST = /,"computeUnits":\d+\}$/;
const FREE = ',"computeUnits":0}';
const COST_BYTES_MAX = 64;
/** A weak tag does not guarantee the same bytes. */
const STRONG_TAG = /^"[^"]+"$/;
const NOT_MODIFIED = 304;

export interface HistoryCacheOptions {
  /** The size limit of the folder, from 1 MiB. Default: 1 GiB. Each further writing process may exceed it by 1/8. */
  readonly bytesMax?: number;
  /** Sends the requests to the service. Default: the platform's `fetch`. */
  readonly fetch?: typeof fetch;
  /** Called once if the folder cannot be used; pages then come from the service. Default: the console's `warn`. */
  readonly onWarning?: (warning: ClientWarning) => void;
}

/** For the client's option `fetch`. Any number of clients and processes may share a folder. */
export function historyCache(folder: string, options: HistoryCacheOptions = {}): typeof fetch {
  const { bytesMax = BYTES_MAX, fetch: ask = globalThis.fetch } = options;
  if (!(Number.isSafeInteger(bytesMax) && bytesMax >= BYTES_MAX_LEAST)) {
    const message = `The option "bytesMax" must be a number of bytes from ${BYTES_MAX_LEAST.toLocaleString('en')} on.`;
    throw new TapeloomError('CONFIGURATION', message);
  }
  const pages = new PageFolder(folder, bytesMax);
  const tried = trying(folder, warner(options));

  return async (input, init) => {
    const asked = askedPage(input, init);
    if (asked === null) return await ask(input, init);
    const { headers, name } = asked;
    const kept = await tried(() => pages.read(name));
    if (kept !== null) headers.set('if-none-match', kept.etag);
    const response = await ask(input, { ...init, headers });
    if (kept !== null && response.status === NOT_MODIFIED) {
      await tried(() => pages.touch(name));
      return responseOf(response, kept.body);
    }
    const etag = response.headers.get('etag') ?? '';
    if (response.status !== 200 || response.body === null || !STRONG_TAG.test(etag)) {
      return response;
    }
    const body = response.body.pipeThrough(
      collecting(async (whole) => {
        const free = withoutCost(whole);
        if (free !== null) await tried(() => pages.write(name, { etag, body: free }));
      }),
    );
    return responseOf(response, body);
  };
}

/** Null: not a page of history, or the caller does its own validation. */
function askedPage(...[input, init = {}]: Parameters<typeof fetch>) {
  if (typeof input !== 'string' || (init.method ?? 'GET') !== 'GET') return null;
  if (!URL.canParse(input) || !HISTORY.test(new URL(input).pathname)) return null;
  const headers = new Headers(init.headers);
  if (headers.has('if-none-match')) return null;
  // An `ETag` depends on the encoding. A fixed encoding keeps it the same for all versions of Node.
  headers.set('accept-encoding', 'gzip');
  return { headers, name: createHash('sha256').update(input).digest('hex') };
}

/** Passes a page through as it arrives. `take` gets all its bytes before the reader sees the end. */
function collecting(
  take: (whole: Uint8Array) => Promise<void>,
): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  return new TransformStream({
    transform: (piece, out) => {
      length += piece.length;
      if (length <= PAGE_BYTES_MAX) pieces.push(piece);
      else pieces.length = 0;
      out.enqueue(piece);
    },
    flush: async () => {
      if (length > 0 && length <= PAGE_BYTES_MAX) await take(joinBytes(pieces, length));
    },
  });
}

/** Null: the bytes do not end as a page does. */
function withoutCost(page: Uint8Array): Uint8Array<ArrayBuffer> | null {
  const bytes = Buffer.from(page.buffer, page.byteOffset, page.byteLength);
  const start = Math.max(0, bytes.length - COST_BYTES_MAX);
  const tail = bytes.toString('latin1', start);
  const found = COST.exec(tail);
  if (found === null) return null;
  return Buffer.concat([bytes.subarray(0, start + found.index), Buffer.from(FREE)]);
}

/** A page as the service sent it, but already decompressed. */
function responseOf(
  { headers: said }: Response,
  body: ConstructorParameters<typeof Response>[0],
): Response {
  const headers = new Headers(said);
  for (const name of ['content-encoding', 'content-length']) headers.delete(name);
  headers.set('content-type', headers.get('content-type') ?? 'application/json');
  return new Response(body, { headers });
}

/** A failure of the folder does not fail the request; it is reported once. */
function trying(folder: string, warn: (warning: ClientWarning) => void) {
  let hasTold = false;
  return async <T>(work: () => Promise<T>): Promise<T | null> => {
    try {
      return await work();
    } catch (cause) {
      const message = `The history cache in ${folder} cannot be used: ${(cause as Error).message}.`;
      if (!hasTold) warn({ code: 'CACHE_FAILED', message, cause });
      hasTold = true;
      return null;
    }
  };
}
