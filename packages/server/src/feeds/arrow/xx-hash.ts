/** The checksum of LZ4 frames: 32-bit xxHash with seed 0. */

const [ONE, TWO, THREE, FOUR, FIVE] = [
  0x9e37_79b1, 0x85eb_ca77, 0xc2b2_ae3d, 0x27d4_eb2f, 0x1656_67b1,
] as const;
const STRIPE_BYTES = 16;

export function xxHash32(bytes: Uint8Array): number {
  const hash = new XxHash32();
  hash.update(bytes);
  return hash.digest();
}

export class XxHash32 {
  readonly #lanes = Int32Array.of(ONE + TWO, TWO, 0, -ONE);
  readonly #rest = new Uint8Array(STRIPE_BYTES);
  #length = 0;

  update(bytes: Uint8Array): void {
    const filled = this.#length % STRIPE_BYTES;
    this.#length += bytes.length;
    let at = 0;
    if (filled > 0) {
      at = Math.min(STRIPE_BYTES - filled, bytes.length);
      this.#rest.set(bytes.subarray(0, at), filled);
      if (filled + at < STRIPE_BYTES) return;
      this.#mix(this.#rest, 0, STRIPE_BYTES);
    }
    const end = at + Math.floor((bytes.length - at) / STRIPE_BYTES) * STRIPE_BYTES;
    this.#mix(bytes, at, end);
    this.#rest.set(bytes.subarray(end));
  }

  digest(): number {
    const lanes = this.#lanes;
    const isLong = this.#length >= STRIPE_BYTES;
    const turns = [1, 7, 12, 18].map((bits, lane) => turned(lanes[lane]!, bits));
    let hash: number = isLong ? turns[0]! + turns[1]! + turns[2]! + turns[3]! : FIVE;
    hash = (hash + this.#length) | 0;
    const rest = this.#rest.subarray(0, this.#length % STRIPE_BYTES);
    const view = new DataView(rest.buffer, rest.byteOffset, rest.byteLength);
    let at = 0;
    for (; at + 4 <= rest.length; at += 4) {
      hash = Math.imul(turned(hash + Math.imul(view.getInt32(at, true), THREE), 17), FOUR);
    }
    for (; at < rest.length; at += 1) {
      hash = Math.imul(turned(hash + Math.imul(rest[at]!, FIVE), 11), ONE);
    }
    hash = Math.imul(hash ^ (hash >>> 15), TWO);
    hash = Math.imul(hash ^ (hash >>> 13), THREE);
    return (hash ^ (hash >>> 16)) >>> 0;
  }

  #mix(bytes: Uint8Array, from: number, to: number): void {
    const lanes = this.#lanes;
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    for (let at = from; at < to; at += STRIPE_BYTES) {
      for (let lane = 0; lane < 4; lane += 1) {
        const mixed = lanes[lane]! + Math.imul(view.getInt32(at + lane * 4, true), TWO);
        lanes[lane] = Math.imul(turned(mixed, 13), ONE);
      }
    }
  }
}

function turned(value: number, bits: number): number {
  return (value << bits) | (value >>> (32 - bits));
}
