/** The logs that settled days, streams and replays must give, according to a study's naive twin. */

import { compareCursors, parseCursor } from '@tapeloom/core/cursor';
import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import type { ServerMessage } from '@tapeloom/protocol/server-messages';
import type { Subject } from '../../../core/testing/twins/study-subjects.ts';
import type { TwinTape } from '../../../core/testing/twins/twin-tape.ts';
import type { Replay } from '../../src/runs/replay.ts';
import { decodeFrames } from '../stream/engine-run.ts';
import { entryOf, isIn } from '../tape/gapped-tape.ts';
import type { Entry } from './settled-world.ts';

/** The log that settled days contain after position(from), by day. */
export function settledLog(
  { twin }: { readonly twin: TwinTape },
  subject: Subject,
  from: EpochNs,
  to: UtcDay,
) {
  return subject
    .twin(twin)
    .filter(({ object, day }) => object.final && day <= to)
    .filter(({ at, byTrade }) => (byTrade ? at >= from : at > from))
    .map(entryOf);
}

/** The newest update of every object in each flush, according to the twin's log. */
export function publishedLog(twin: TwinTape, subject: Subject, edges: readonly bigint[]): Entry[] {
  const updates = subject.twin(twin);
  let before = -1n;
  return edges.flatMap((edge) => {
    const mine = updates.filter((update) => isIn(update, edge) && !isIn(update, before));
    before = edge;
    return mine
      .filter((update, at) => !mine.slice(at + 1).some((it) => it.object.id === update.object.id))
      .map(entryOf);
  });
}

export function entriesIn(messages: readonly ServerMessage[]): readonly unknown[] {
  return messages.map((message) => {
    const { sub: _, ...entry } = message as ServerMessage & { sub: string };
    return entry;
  });
}

export async function replayedBy(opened: Replay): Promise<readonly ServerMessage[]> {
  await using replay = opened;
  const replayed: ServerMessage[] = [];
  for (let isLast = false; !isLast; ) {
    const page = await replay.next();
    replayed.push(...decodeFrames(page));
    isLast = page.isLast;
  }
  return replayed;
}

export function isAfter(message: ServerMessage, cursor: string): boolean {
  return 'cursor' in message && compareTexts(message.cursor, cursor) > 0;
}

export function compareTexts(a: string, b: string): number {
  return compareCursors(parseCursor(a)!, parseCursor(b)!);
}
