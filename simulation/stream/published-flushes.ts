/**
 * Flushes as an engine would publish them, for tests of what becomes of them: cursors ascend, a
 * position lies at or behind the last message, and each message's text tells its cursor.
 */

import type { EpochNs } from '@tapeloom/core/numbers';
import { epochNs, utcDay } from '@tapeloom/core/utc-day';
import type { StreamMode } from '@tapeloom/protocol/client-messages';
import { Flush, type FrameEntry } from '@tapeloom/server/topics/flush';
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
  readonly entries: readonly FrameEntry[];
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly edge: EpochNs;
  readonly position: string;
}

/** Makes one flush after the other. */
export class FlushPress {
  /** Everything that was published, in order. */
  readonly published: FrameEntry[] = [];
  rank = 10;
  edge: EpochNs = epochNs(DAY, 36_000_000_000_000);

  /** The floor of a topic that begins here. */
  get floor(): string {
    return `${DAY}.${this.rank}.0`;
  }

  /** The next flush, closed so many milliseconds after the one before. */
  next(messages: readonly MessagePlan[], passedMs: number): PublishedFlush {
    this.edge = (this.edge + BigInt(passedMs * MS_NS)) as EpochNs;
    const entries: FrameEntry[] = [];
    const rests: Buffer[] = [];
    let end = 0;
    for (const [index, { kind, final, id, padding }] of messages.entries()) {
      // Some trades cause several updates, and some none.
      if (index % 3 === 0) this.rank += 2;
      const cursor = `${DAY}.${this.rank}.${1 + (index % 3)}`;
      const data = { cursor, id, data: 'é'.repeat(padding) };
      const rest = Buffer.from(`,${JSON.stringify(data).slice(1)}`);
      entries.push({ kind, id, final, cursor, start: end, end: end + rest.length });
      rests.push(rest);
      end += rest.length;
    }
    this.published.push(...entries);
    if (messages.length % 2 === 0) this.rank += 1;
    const position = `${DAY}.${this.rank}.4`;
    const bytes = new Uint8Array(Buffer.concat(rests));
    return { entries, bytes, edge: this.edge, position };
  }

  /** The published messages beyond a cursor that a mode lets through. */
  beyond(cursor: string, mode: StreamMode): readonly string[] {
    return this.published
      .filter((entry) => (mode === 'live' || entry.final) && isBefore(cursor, entry.cursor))
      .map((entry) => entry.cursor);
  }
}

export function flushOf({ entries, bytes }: PublishedFlush): Flush {
  return new Flush(entries, bytes);
}

/** The cursors a subscriber reads in these flushes. */
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
