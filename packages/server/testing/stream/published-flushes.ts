/** Flushes as an engine publishes them: cursors ascend, positions follow the messages, each message has its cursor. */

import { formatCursor } from '@tapeloom/core/cursor';
import type { EpochNs, Rank } from '@tapeloom/core/numbers';
import { epochNs, utcDay } from '@tapeloom/core/utc-day';
import type { StreamMode } from '@tapeloom/protocol/client-messages';
import type { Block } from '../../src/blocks/block.ts';
import { BlockWriter } from '../../src/blocks/block-writer.ts';
import type { Flush } from '../../src/topics/flush.ts';
import { frameTexts } from './server-frames.ts';

const DAY = utcDay(20261112);
const MS_NS = 1_000_000;

export interface MessagePlan {
  readonly kind: 'upsert' | 'remove';
  readonly final: boolean;
  readonly id: string;
  readonly padding: number;
}

export interface PublishedFlush {
  readonly block: Block;
  readonly position: string;
}

export interface PublishedMessage {
  readonly cursor: string;
  readonly final: boolean;
}

/** Makes successive flushes. */
export class FlushPress {
  readonly published: PublishedMessage[] = [];
  readonly #writer = new BlockWriter(1_024, 16);
  rank = 10;
  edge: EpochNs = epochNs(DAY, 36_000_000_000_000);

  /** The floor of a topic that starts here. */
  get floor(): string {
    return `${DAY}.${this.rank}.0`;
  }

  /** The next flush, closed this many milliseconds after the previous one. */
  next(messages: readonly MessagePlan[], passedMs: number): PublishedFlush {
    this.edge = (this.edge + BigInt(passedMs * MS_NS)) as EpochNs;
    for (const [index, { kind, final, id, padding }] of messages.entries()) {
      // Some trades cause several updates, some none.
      if (index % 3 === 0) this.rank += 2;
      const at = { day: DAY, rank: this.rank as Rank, k: 1 + (index % 3) };
      const members = JSON.stringify({ id, final, data: 'é'.repeat(padding) }).slice(1, -1);
      this.#writer.add(kind, final, at, members, 0);
      this.published.push({ cursor: formatCursor(at), final });
    }
    if (messages.length % 2 === 0) this.rank += 1;
    const position = `${DAY}.${this.rank}.4`;
    return { block: this.#writer.take(DAY, Number(this.edge - epochNs(DAY, 0))), position };
  }

  /** The published messages after a cursor that pass a mode's filter. */
  beyond(cursor: string, mode: StreamMode): readonly string[] {
    return this.published
      .filter((entry) => (mode === 'live' || entry.final) && isBefore(cursor, entry.cursor))
      .map((entry) => entry.cursor);
  }
}

/** The cursors that a subscriber reads in these flushes. */
export function cursorsIn(flushes: readonly Flush[], mode: StreamMode): readonly string[] {
  return flushes.flatMap((flush) => {
    const frames = flush.framesFor('s', mode);
    if (frames === null) return [];
    return frameTexts(frames.bytes).map((text) => (JSON.parse(text) as { cursor: string }).cursor);
  });
}

export function isBefore(a: string, b: string): boolean {
  const [left, right] = [a.split('.').map(Number), b.split('.').map(Number)];
  const at = left.findIndex((part, index) => part !== right[index]);
  return at !== -1 && left[at]! < right[at]!;
}
