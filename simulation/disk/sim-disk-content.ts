/** The bytes of a simulated file: how they grow, and what remains of a write during a power failure. */

const SECTOR_BYTES = 512;

/** Numbers in [0, 1) from a seed. */
export type Random = () => number;

export type ContentChange =
  | { readonly kind: 'write'; readonly position: number; readonly bytes: Uint8Array }
  | { readonly kind: 'truncate'; readonly size: number };

/** A growing buffer; bytes beyond the size are zero. */
export class Content {
  bytes = new Uint8Array(0);
  size = 0;
}

export function change(content: Content, made: ContentChange): void {
  const size = made.kind === 'truncate' ? made.size : made.position + made.bytes.length;
  if (size > content.bytes.length) {
    const grown = new Uint8Array(Math.max(size, content.bytes.length * 2));
    grown.set(content.bytes.subarray(0, content.size));
    content.bytes = grown;
  }
  if (made.kind === 'truncate') {
    if (size < content.size) content.bytes.fill(0, size, content.size);
    content.size = size;
  } else {
    content.bytes.set(made.bytes, made.position);
    content.size = Math.max(content.size, size);
  }
}

/** What remains of a write during a power failure: a prefix, or some sectors unchanged. */
export function tear(
  { bytes, position }: { readonly bytes: Uint8Array; readonly position: number },
  before: Content,
  random: Random,
): ContentChange {
  if (random() < 0.5) {
    return { kind: 'write', position, bytes: bytes.slice(0, Math.floor(random() * bytes.length)) };
  }
  const torn = bytes.slice();
  const end = position + bytes.length;
  for (let from = position; from < end; ) {
    const to = Math.min((Math.floor(from / SECTOR_BYTES) + 1) * SECTOR_BYTES, end);
    if (random() < 0.5) {
      torn.fill(0, from - position, to - position);
      torn.set(before.bytes.subarray(from, Math.min(to, before.size)), from - position);
    }
    from = to;
  }
  return { kind: 'write', position, bytes: torn };
}
