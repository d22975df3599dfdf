/**
 * Bodies that are sent once, compressed as their readers ask for: beside the event loop, and quickly rather than
 * well. That is done by the threads that wait for the disk too, the tape's among them: so few pages are compressed
 * at once that the others stay free, and accounts take turns. A page for which there is no place goes as it is.
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

/** Of the four threads half; a page that waits may be of 16 MiB. */
const ENCODING_LIMITS: FairCallsLimits = { atOnce: 2, eachMax: 8, allMax: 32, keptForNew: 16 };

/** On 700 kB of footprint bars level 1 of zstd gives 109 kB in 4 ms, of gzip 146 kB in 7 ms of a 2.5 GHz Xeon. */
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
  /** Whether the same page, asked for alike, always comes as this. */
  readonly isAsAlways: boolean;
}

/** What a reader who accepts these encodings gets, unless the page is too small to gain by it; null: as it is. */
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

  /** The body as it goes out to this account; what it was made of is given back. */
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
