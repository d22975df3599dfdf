/** The checksum of LZ4 frames: xxHash of 32 bits, with the seed 0. */

const PRIMES = [0x9e37_79b1, 0x85eb_ca77, 0xc2b2_ae3d, 0x27d4_eb2f, 0x1656_67b1] as const;
const STRIPE_BYTES = 16;

export function xxHash32(bytes: Uint8Array): number {
  const [one, two, three, four, five] = PRIMES;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 0;
  let hash: number = five;
  if (bytes.length >= STRIPE_BYTES) {
    const lanes = Int32Array.of(one + two, two, 0, -one);
    for (; at + STRIPE_BYTES <= bytes.length; at += STRIPE_BYTES) {
      for (let lane = 0; lane < 4; lane += 1) {
        const mixed = lanes[lane]! + Math.imul(view.getInt32(at + lane * 4, true), two);
        lanes[lane] = Math.imul(turned(mixed, 13), one);
      }
    }
    hash =
      turned(lanes[0]!, 1) + turned(lanes[1]!, 7) + turned(lanes[2]!, 12) + turned(lanes[3]!, 18);
  }
  hash = (hash + bytes.length) | 0;
  for (; at + 4 <= bytes.length; at += 4) {
    hash = Math.imul(turned(hash + Math.imul(view.getInt32(at, true), three), 17), four);
  }
  for (; at < bytes.length; at += 1) {
    hash = Math.imul(turned(hash + Math.imul(bytes[at]!, five), 11), one);
  }
  hash = Math.imul(hash ^ (hash >>> 15), two);
  hash = Math.imul(hash ^ (hash >>> 13), three);
  return (hash ^ (hash >>> 16)) >>> 0;
}

function turned(value: number, bits: number): number {
  return (value << bits) | (value >>> (32 - bits));
}
