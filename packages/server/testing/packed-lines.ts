/** Exactly these lines, each given without its line feed, packed as in exports. */

import type { PackedLines } from '../src/exports/table-rows.ts';
import { compressShort } from '../src/results/frames.ts';

export function packedLines(lines: readonly string[]): PackedLines {
  const text = Buffer.from(lines.map((line) => `${line}\n`).join(''));
  return { count: lines.length, frames: compressShort(text) };
}
