/** The checksums of a block of xz, over its expanded content. */

import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';

export interface XzCheck {
  readonly bytes: number;
  update(content: Uint8Array): void;
  /** In the encoding that follows the block. */
  digest(): Uint8Array;
}

/** By the number in the stream header; null for numbers that no writer uses. */
export function xzCheck(kind: number): XzCheck | null {
  switch (kind) {
    case 0:
      return { bytes: 0, update: () => {}, digest: () => new Uint8Array() };
    case 1: {
      let sum = 0;
      return {
        bytes: 4,
        update: (content) => {
          sum = crc32(content, sum);
        },
        digest: () => new Uint8Array(Uint32Array.of(sum).buffer),
      };
    }
    case 4:
      return crc64();
    case 10: {
      const hash = createHash('sha256');
      return {
        bytes: 32,
        update: (content) => void hash.update(content),
        digest: () => new Uint8Array(hash.digest()),
      };
    }
    default:
      return null;
  }
}

const [LOW, HIGH] = [new Uint32Array(256), new Uint32Array(256)];
for (let byte = 0; byte < 256; byte += 1) {
  let [low, high] = [byte, 0];
  for (let bit = 0; bit < 8; bit += 1) {
    const isOdd = (low & 1) === 1;
    low = ((low >>> 1) | (high << 31)) >>> 0;
    high >>>= 1;
    if (isOdd) {
      low = (low ^ 0xd787_0f42) >>> 0;
      high = (high ^ 0xc96c_5795) >>> 0;
    }
  }
  LOW[byte] = low;
  HIGH[byte] = high;
}

function crc64(): XzCheck {
  let [low, high] = [0xffff_ffff | 0, 0xffff_ffff | 0];
  return {
    bytes: 8,
    update: (content) => {
      let [nextLow, nextHigh] = [low, high];
      for (let at = 0; at < content.length; at += 1) {
        const index = (nextLow ^ content[at]!) & 0xff;
        nextLow = ((nextLow >>> 8) | (nextHigh << 24)) ^ LOW[index]!;
        nextHigh = (nextHigh >>> 8) ^ HIGH[index]!;
      }
      [low, high] = [nextLow, nextHigh];
    },
    digest: () => new Uint8Array(Uint32Array.of(~low, ~high).buffer),
  };
}
