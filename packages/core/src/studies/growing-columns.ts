/** Copies columns into longer ones when they are full. */

type Column = Float64Array | Int32Array | Uint8Array;

/** `into`, starting with the elements of `column`. */
export function longer<T extends Column>(column: T, into: T): T {
  into.set(column);
  return into;
}

/** `into`, with elements [from, to) of a ring. A number's index is its low bits; both lengths are powers of two. */
export function unrolled<T extends Column>(ring: T, into: T, from: number, to: number): T {
  for (let number = from; number < to; number += 1) {
    into[number & (into.length - 1)] = ring[number & (ring.length - 1)]!;
  }
  return into;
}
