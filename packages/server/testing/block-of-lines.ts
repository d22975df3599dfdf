/** A block with exactly these lines, each given without its line feed; ranks count from one. */

import type { UtcDay } from '@tapeloom/core/numbers';
import { type Block, emptyBlock } from '../src/blocks/block.ts';

export function blockOfLines(
  day: UtcDay,
  lines: readonly string[],
  fromNs: (line: number) => number = (line) => line,
): Block {
  const text = Buffer.from(lines.map((line) => `${line}\n`).join(''));
  const block = emptyBlock(day, lines.length, text.length);
  block.text.set(text);
  let end = 0;
  for (const [at, line] of lines.entries()) {
    end += Buffer.byteLength(line) + 1;
    block.ends[at] = end;
    block.ranks[at] = at + 1;
    block.fromNs[at] = fromNs(at);
  }
  return block;
}
