/** Damages a file for fuzzing. */

const INTERESTING = [0, 1, 3, 4, 12, 0x7f, 0x80, 0xfe, 0xff];

/** Up to four changes: a bit, a byte, a number, or a part that is removed, doubled or cut off. */
export function mutated(file: Uint8Array, random: () => number): Uint8Array {
  let bytes: Uint8Array = file.slice();
  const below = (limit: number) => Math.floor(random() * limit);
  for (let change = below(4); change >= 0; change -= 1) {
    if (bytes.length < 8) return bytes;
    // Half of the changes hit the beginning, where lengths, counts and record heads are likely.
    const at = random() < 0.5 ? below(bytes.length) : below(Math.min(bytes.length, 128));
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const kind = below(7);
    if (kind === 0) bytes[at]! ^= 1 << below(8);
    else if (kind === 1) bytes[at] = below(256);
    else if (kind === 2) bytes[at] = INTERESTING[below(INTERESTING.length)]!;
    else if (kind === 3 && at + 4 <= bytes.length) view.setUint32(at, below(2 ** 32), true);
    else if (kind === 4) bytes = bytes.slice(0, at);
    else if (kind === 5) bytes = joined(bytes.subarray(0, at), bytes.subarray(at + below(64)));
    else bytes = joined(bytes.subarray(0, at), bytes.subarray(Math.max(0, at - below(64))));
  }
  return bytes;
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(first.length + second.length);
  bytes.set(first);
  bytes.set(second, first.length);
  return bytes;
}
