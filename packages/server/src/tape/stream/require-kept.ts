/**
 * Checks the message before a just stored claim. A stream that was shrunk, or is led by a server with missing messages,
 * may have reached the same number with others. Then a `lost` claim is stored, and nothing is appended.
 */

import type { Clock } from '../../platform/clock.ts';
import { sleep } from '../../platform/waiting/sleep.ts';
import { isLossTold, lostClaim } from './claim-body.ts';
import type { FencedWriter } from './fenced-writer.ts';
import { StreamShrunkError } from './stream-errors.ts';
import { isSameMessage, type StoredMessage, type TapeStream } from './tape-stream.ts';

const ASK_AGAIN_MS = 200;

/** Rejects with `StreamShrunkError` when the leader has another message than `known`, just before the new claim. */
export async function requireKept(
  writer: FencedWriter,
  stream: TapeStream,
  clock: Pick<Clock, 'after'>,
  known: StoredMessage,
): Promise<void> {
  for (;;) {
    const kept = await stream.read(known.sequence).catch(() => undefined);
    if (kept === null || (kept !== undefined && isSameMessage(kept, known))) return;
    if (kept !== undefined) {
      if (!isLossTold(kept)) await writer.append('claim', lostClaim(known.sequence));
      throw new StreamShrunkError(known.sequence, known.sequence - 1);
    }
    await sleep(clock, ASK_AGAIN_MS, writer.ended);
    writer.ended.throwIfAborted();
  }
}
