/** What passes between the thread that hashes bodies and its handle. A body has a number that is given once. */

import type { ThreadShape } from '../platform/thread.ts';

export type LeftPieces = readonly Uint8Array<ArrayBuffer>[];

export interface DigestShape extends ThreadShape {
  readonly calls: {
    /** What follows in a body; it begins with the first. */
    add(body: number, pieces: LeftPieces): void;
    /** The last of it; answers the SHA-256 of all, in base64. */
    end(body: number, pieces: LeftPieces): string;
  };
  /** A body ends otherwise. */
  readonly orders: { readonly t: 'close'; readonly body: number };
  readonly news: never;
  readonly refusal: never;
}
