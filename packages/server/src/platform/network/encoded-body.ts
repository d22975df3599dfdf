/**
 * A body that is sent repeatedly, with a strong `ETag`, in the encoding that the client prefers. Each encoding is
 * computed once, in a background thread, unless it is provided. Only one body is encoded at a time, since hundreds of
 * pages may be requested at once; while many wait, the others are sent unencoded.
 */

import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip, zstdCompress } from 'node:zlib';
import { SerialQueue } from '../waiting/serial-queue.ts';

/** Smaller bodies do not benefit. */
export const ENCODED_BYTES_MIN = 1_024;
const ETAG_BYTES = 16;
/** Above this, the last percents do not justify a second of waiting. */
const LARGE_BYTES = 65_536;
const LARGE_QUALITY = 7;
/** Encodings requested and not finished. */
export const WAITING_MAX = 16;

const ENCODERS = {
  br: (bytes: Buffer) =>
    promisify(brotliCompress)(bytes, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]:
          bytes.length > LARGE_BYTES ? LARGE_QUALITY : constants.BROTLI_MAX_QUALITY,
      },
    }),
  zstd: (bytes: Buffer) =>
    promisify(zstdCompress)(bytes, {
      params: { [constants.ZSTD_c_compressionLevel]: 19 },
      // Without it, 80 MB are allocated for a body of any size.
      pledgedSrcSize: bytes.length,
    }),
  gzip: (bytes: Buffer) => promisify(gzip)(bytes, { level: 9 }),
} as const satisfies Record<string, (bytes: Buffer) => Promise<Buffer>>;
export type Encoding = keyof typeof ENCODERS;

/** Extra spaces and digits, which HTTP forbids, are accepted. */
const QUALITY = /^q\s*=\s*\d+(?:\.\d*)?$/;

/** Best first. */
const ENCODINGS = Object.keys(ENCODERS) as Encoding[];

const encodings = new SerialQueue();
let waiting = 0;

export interface Representation {
  readonly etag: string;
  readonly encoding: Encoding | null;
  bytes(): Promise<Buffer>;
}

export class EncodedBody {
  readonly #plain: Buffer;
  readonly #digest: string;
  readonly #encoded: Map<Encoding, Promise<Buffer>>;
  readonly #mayBeEncoded: boolean;

  constructor(
    plain: Buffer,
    /** `isEncoded`: whether encoding pays off; `ready`: existing encodings. */
    options: { readonly isEncoded?: boolean; readonly ready?: ReadonlyMap<Encoding, Buffer> } = {},
  ) {
    const { isEncoded = true, ready = new Map<Encoding, Buffer>() } = options;
    this.#plain = plain;
    this.#mayBeEncoded = isEncoded && plain.length >= ENCODED_BYTES_MIN;
    this.#encoded = new Map([...ready].map(([name, bytes]) => [name, Promise.resolve(bytes)]));
    this.#digest = createHash('sha256')
      .update(plain)
      .digest('hex')
      .slice(0, 2 * ETAG_BYTES);
  }

  get plain(): Buffer {
    return this.#plain;
  }

  /** The representation for a client that accepts these encodings. */
  choose(acceptEncoding: string | undefined): Representation {
    const encoding = this.#mayBeEncoded ? preferredEncoding(acceptEncoding) : null;
    if (encoding === null || (waiting >= WAITING_MAX && !this.#encoded.has(encoding))) {
      const bytes = () => Promise.resolve(this.#plain);
      return { etag: `"${this.#digest}"`, encoding: null, bytes };
    }
    return {
      etag: `"${this.#digest}-${encoding}"`,
      encoding,
      bytes: () => this.#encoded.getOrInsertComputed(encoding, () => this.#encode(encoding)),
    };
  }

  async #encode(encoding: Encoding): Promise<Buffer> {
    waiting += 1;
    try {
      return await encodings.run(() => ENCODERS[encoding](this.#plain));
    } catch (error) {
      this.#encoded.delete(encoding);
      throw error;
    } finally {
      waiting -= 1;
    }
  }
}

/** Whether `If-None-Match` names this tag, with the weak comparison of HTTP. */
export function isNamed(etag: string, ifNoneMatch: string | undefined): boolean {
  if (ifNoneMatch === undefined) return false;
  const tags = ifNoneMatch.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return tags.includes('*') || tags.includes(etag);
}

/** The client's preferred encoding among these; the first of equal ones. Null: no encoding. */
export function preferredEncoding(
  acceptEncoding: string | undefined,
  offered: readonly Encoding[] = ENCODINGS,
): Encoding | null {
  const weights = new Map<string, number>();
  for (const entry of (acceptEncoding ?? '').split(',')) {
    const [name, ...parameters] = entry.split(';').map((part) => part.trim().toLowerCase());
    // Zero in any spelling means not acceptable.
    const quality = parameters.find((parameter) => QUALITY.test(parameter));
    weights.set(name!, quality === undefined ? 1 : Math.min(1, Number(quality.split('=')[1])));
  }
  const weightOf = (name: string) => weights.get(name) ?? weights.get('*') ?? 0;
  const best = offered.toSorted((a, b) => weightOf(b) - weightOf(a))[0]!;
  // Without a mention, `identity` is acceptable, but not preferred to a named encoding.
  const isRefused = weightOf(best) === 0 || weightOf(best) < (weights.get('identity') ?? 0);
  return isRefused ? null : best;
}
