/** Messages between the thread that digests bodies and its handle. The number of a body is used only once. */

import type { ThreadShape } from '../platform/threads/thread.ts';

export type DigestedParts = readonly Uint8Array<ArrayBuffer>[];

export interface DigestShape extends ThreadShape {
  readonly calls: {
    add(body: number, parts: DigestedParts): void;
    /** As base64; the body is forgotten then. */
    end(body: number, parts: DigestedParts): string;
  };
  readonly orders: { readonly t: 'drop'; readonly body: number };
}
