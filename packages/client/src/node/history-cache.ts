/**
 * A local cache of history that was paid for: a `fetch` that keeps pages in a folder. It never decides by itself that a page is
 * still good. The service marks pages that can never be another with a strong `ETag`; only those are kept, and the service is
 * asked each time whether the kept one is the one (`If-None-Match`), which costs a request and no compute units.
 */

import { createHash } from 'node:crypto';
import { type ClientWarning, warner } from '../options.ts';
import { joinBytes } from '../rest/open-answer.ts';
import { TapeloomError } from '../tapeloom-error.ts';
import { PAGE_BYTES_MAX, PageFolder } from './page-folder.ts';

const BYTES_MAX = 1024 ** 3;
const BYTES_MAX_LEAST = 1024 ** 2;
const HISTORY = /\/v1\/history$/;
/** What a page ends with: what it has cost. A kept one costs nothing. */
const COST = /,"computeUnits":\d+\}$/;
const FREE = ',"computeUnits":0}';
const COST_BYTES_MAX = 64;
/** A weak one does not promise the same bytes. */
const STRONG_TAG = /^"[^"]+"$/;
const NOT_MODIFIED = 304;

export interface HistoryCacheOptions {
  /** What the folder may hold, from 1 MiB on; 1 GiB if it is left out. Each further process that writes may add an eighth. */
  readonly bytesMax?: number;
  /** What asks the service; the platform's, if it is left out. */
  readonly fetch?: typeof fetch;
  /** Told once when the folder cannot be used; pages come from the service then. The console's `warn`, if it is left out. */
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

/** Null: not a page of history, or the caller has a cache of its own. */
function askedPage(...[input, init = {}]: Parameters<typeof fetch>) {
  if (typeof input !== 'string' || (init.method ?? 'GET') !== 'GET') return null;
  if (!URL.canParse(input) || !HISTORY.test(new URL(input).pathname)) return null;
  const headers = new Headers(init.headers);
  if (headers.has('if-none-match')) return null;
  // An `ETag` is that of an encoding; this way it is the same for every version of Node.
  headers.set('accept-encoding', 'gzip');
  return { headers, name: createHash('sha256').update(input).digest('hex') };
}

/** A page's bytes pass as they come; `take` has them all before the reader is told of the end. */
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

/** Null: it does not end as a page does. */
function withoutCost(page: Uint8Array): Uint8Array<ArrayBuffer> | null {
  const bytes = Buffer.from(page.buffer, page.byteOffset, page.byteLength);
  const start = Math.max(0, bytes.length - COST_BYTES_MAX);
  const tail = bytes.toString('latin1', start);
  const found = COST.exec(tail);
  if (found === null) return null;
  return Buffer.concat([bytes.subarray(0, start + found.index), Buffer.from(FREE)]);
}

/** A page as the service sent it, expanded by now. */
function responseOf(
  { headers: said }: Response,
  body: ConstructorParameters<typeof Response>[0],
): Response {
  const headers = new Headers(said);
  for (const name of ['content-encoding', 'content-length']) headers.delete(name);
  headers.set('content-type', headers.get('content-type') ?? 'application/json');
  return new Response(body, { headers });
}

/** What fails with the folder fails nothing else; it is told once. */
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
