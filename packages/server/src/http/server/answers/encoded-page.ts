/**
 * Compresses bodies that are sent once, for speed rather than size. The same few threads do the tape's disk reads, so
 * few pages are compressed at once, in a fair queue over accounts. A page without a slot is sent uncompressed.
 */

import { promisify } from 'node:util';
import { constants, gzip, zstdCompress } from 'node:zlib';
import { freeMemory } from '../../../platform/memory/free-memory.ts';
import {
  ENCODED_BYTES_MIN,
  type Encoding,
  preferredEncoding,
} from '../../../platform/network/encoded-body.ts';
import { FairCalls, type FairCallsLimits } from '../../../platform/sharing/fair-calls.ts';

/** Half of the four threads; a queued page may have 16 MiB. */
const ENCODING_LIMITS: FairCallsLimits = { atOnce: 2, eachMax: 8, allMax: 32, keptForNew: 16 };

/** Level 1: speed matters more than size. */
const ENCODERS = {
  zstd: (bytes: Buffer) =>
    promisify(zstdCompress)(bytes, {
      params: { [constants.ZSTD_c_compressionLevel]: 1 },
      pledgedSrcSize: bytes.length,
    }),
  gzip: (bytes: Buffer) => promisify(gzip)(bytes, { level: 1 }),
} satisfies Partial<Record<Encoding, (bytes: Buffer) => Promise<Buffer>>>;
const OFFERED = Object.keys(ENCODERS) as PageEncoding[];

export type PageEncoding = keyof typeof ENCODERS;

export interface EncodedPage {
  readonly bytes: Buffer;
  readonly encoding: PageEncoding | null;
  /** Whether the same request for the same page always gets these bytes. */
  readonly isAsAlways: boolean;
}

/** The encoding for a client that accepts these, unless the page is too small to gain by it; null: uncompressed. */
export function pageEncoding(acceptEncoding: string | undefined): PageEncoding | null {
  return preferredEncoding(acceptEncoding, OFFERED) as PageEncoding | null;
}

export class PageEncoder {
  readonly #encodings: FairCalls;
  readonly #encoders: Readonly<Record<PageEncoding, (bytes: Buffer) => Promise<Buffer>>>;

  constructor(limits = ENCODING_LIMITS, encoders: typeof ENCODERS = ENCODERS) {
    this.#encodings = new FairCalls(limits);
    this.#encoders = encoders;
  }

  /** The body as sent to this account; the memory of the original is freed. */
  async encoded(
    account: string,
    bytes: Buffer,
    preferred: PageEncoding | null,
  ): Promise<EncodedPage> {
    if (preferred === null || bytes.length < ENCODED_BYTES_MIN) {
      return { bytes, encoding: null, isAsAlways: true };
    }
    const encoding = this.#encodings.run(account, () => this.#encoders[preferred](bytes));
    if (encoding === null) return { bytes, encoding: null, isAsAlways: false };
    const encoded = await encoding;
    freeMemory(bytes.buffer);
    return { bytes: encoded, encoding: preferred, isAsAlways: true };
  }
}
