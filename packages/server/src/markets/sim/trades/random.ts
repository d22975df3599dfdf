/** Random numbers from 32-bit integers, equal on all machines and engines. A change changes all simulated tapes. */

const GOLDEN = 0x9e3779b9;

/** Mixes one more integer into a key: the murmur3 finaliser, which leaves no visible pattern. */
export function mixKey(key: number, value: number): number {
  let h = (Math.imul(key, 31) + value + GOLDEN) | 0;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

/** The key of a name (FNV-1a over its UTF-16 units). */
export function textKey(text: string): number {
  let h = 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
  return h >>> 0;
}

/** A fixed number in [0, 1) for this key and value. */
export function keyedUnit(key: number, value: number): number {
  return mixKey(key, value) / 0x1_0000_0000;
}

/** A fixed standard normal draw for this key and value: the sum of eight 16-bit uniforms, within ±4.9. */
export function keyedNormal(key: number, value: number): number {
  let h = mixKey(key, value);
  let sum = 0;
  for (let i = 0; i < 4; i += 1) {
    h = mixKey(h, i);
    sum += (h & 0xffff) + (h >>> 16);
  }
  // Eight uniforms on [0, 65535] have mean 262,140 and standard deviation 53,510.2 (= 65,536 √(8/12)).
  return (sum - 262_140) / 53_510.2;
}

/** A stream of 32-bit draws (sfc32: small, fast, passes PractRand). Reseeded, never reallocated. */
export class Random {
  #a = 0;
  #b = 0;
  #c = 0;
  #counter = 1;

  seed(key: number): void {
    this.#a = mixKey(key, 1);
    this.#b = mixKey(key, 2);
    this.#c = mixKey(key, 3);
    this.#counter = 1;
    for (let i = 0; i < 8; i += 1) this.next();
  }

  /** A uniform 32-bit integer. */
  next(): number {
    const drawn = (((this.#a + this.#b) | 0) + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + drawn) | 0;
    return drawn >>> 0;
  }

  /** A uniform number in [0, 1). */
  unit(): number {
    return this.next() / 0x1_0000_0000;
  }

  /** A cheap bell-shaped draw with mean 0 and variance 1: the sum of the four bytes of one draw. */
  bell(): number {
    const r = this.next();
    // Four uniforms on [0, 255] have mean 510 and standard deviation 147.8 (= √(4 × 65,535 / 12)).
    return ((r & 255) + ((r >>> 8) & 255) + ((r >>> 16) & 255) + (r >>> 24) - 510) / 147.8;
  }
}
