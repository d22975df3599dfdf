/** A subscription of a client whose server is the test, and its updates. */

import type { Subscription, Update } from '../src/stream.ts';
import { StreamStage } from './stream-stage.ts';

/** A subscription that was requested. */
export function begun(more: object = {}) {
  const stage = new StreamStage();
  const subscription = stage.subscribe(more);
  stage.socket.open();
  return { stage, subscription };
}

export function read(subscription: Subscription<'bars'>, count: number) {
  return readAll(subscription[Symbol.asyncIterator](), count);
}

/** Reads `count` updates, or fewer if the iteration ends before. */
export async function readAll(
  iterator: AsyncIterableIterator<Update<'bars'>, undefined>,
  count: number,
) {
  const updates: Update<'bars'>[] = [];
  while (updates.length < count) {
    const { done, value } = await iterator.next();
    if (done === true) break;
    updates.push(value);
  }
  return updates;
}
