/** The updates of blocks one by one. */

import type { EpochNs } from '@tapeloom/core/numbers';
import { Block, type BlockParts, type UpdateKind } from '../../src/blocks/block.ts';

export interface BlockUpdate {
  readonly kind: UpdateKind;
  /** Empty for a snapshot. */
  readonly id: string;
  readonly final: boolean;
  readonly cursor: string;
  /** Its whole line, without the line feed. */
  readonly line: string;
}

export function updatesOf(...blocks: readonly BlockParts[]): readonly BlockUpdate[] {
  return blocks.flatMap((parts) => {
    const block = new Block(parts);
    const text = Buffer.from(block.text);
    return Array.from({ length: block.count }, (_, at): BlockUpdate => {
      const line = text.toString('utf8', block.start(at), block.ends[at]! - 1);
      const { id = '' } = JSON.parse(line) as { readonly id?: string };
      const [kind, final, cursor] = [block.kind(at), block.isFinal(at), block.cursorText(at)];
      return { kind, id, final, cursor, line };
    });
  });
}

/** The edge that closed the flush. */
export function edgeOf({ block }: { readonly block: BlockParts }): EpochNs {
  return new Block(block).lastEdge;
}
