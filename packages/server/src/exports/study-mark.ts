/** Marks the lines of one study among several: its name follows the kind of the line. */

import { type Block, OPENINGS } from '../blocks/block.ts';

/** As long as the opening of a removal; no export has a snapshot. */
const OPENING_BYTES = OPENINGS.upsert.length;

/** The same indicator may be there twice, so its index in the request is named too. */
export function studyMark(indicator: string, study: number): Buffer {
  return Buffer.from(`,"indicator":${JSON.stringify(indicator)},"study":${study}`);
}

/** The lines of these blocks, each with the mark. */
export function markedText(blocks: readonly Block[], mark: Buffer): Uint8Array {
  const bytes = blocks.reduce((sum, { text, count }) => sum + text.length + count * mark.length, 0);
  const marked = Buffer.allocUnsafeSlow(bytes);
  let at = 0;
  for (const block of blocks) {
    const { byteOffset, length } = block.text;
    const text = Buffer.from(block.memory, byteOffset, length);
    let copied = 0;
    for (let row = 0; row < block.count; row += 1) {
      const place = block.start(row) + OPENING_BYTES;
      at += text.copy(marked, at, copied, place);
      at += mark.copy(marked, at);
      copied = place;
    }
    at += text.copy(marked, at, copied);
  }
  return marked;
}
