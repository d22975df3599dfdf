/** Polls one order until its provider has confirmed or rejected it. Returning to the page polls at once. */

import { useEffect, useState } from 'preact/hooks';
import { portalApi } from '../../api/portal-api.ts';
import { PortalError } from '../../api/portal-error.ts';
import type { OrderView } from '../../api/portal-shapes.ts';
import { nextWaitMs } from './order-watch.ts';

export type WatchedOrder =
  | { readonly t: 'asking' }
  | { readonly t: 'waiting'; readonly order: OrderView; readonly isGivenUp: boolean }
  | { readonly t: 'decided'; readonly order: OrderView }
  /** The account has no such order. */
  | { readonly t: 'unknown' };

const ASKING: WatchedOrder = { t: 'asking' };

export function useWatchedOrder(id: string | null): WatchedOrder {
  const [watched, setWatched] = useState<WatchedOrder>(ASKING);
  useEffect(() => {
    setWatched(ASKING);
    if (id === null) return undefined;
    return watch(id, setWatched);
  }, [id]);
  return watched;
}

/** Returns a function that stops polling. */
function watch(id: string, tell: (watched: WatchedOrder) => void): () => void {
  const gone = new AbortController();
  const startedAt = performance.now();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let asked = 0;
  let isAsking = false;
  let isOver = false;
  const ask = async () => {
    if (isAsking || isOver || gone.signal.aborted) return;
    isAsking = true;
    clearTimeout(timer);
    const answer = await look(id, gone.signal);
    isAsking = false;
    if (gone.signal.aborted) return;
    const waitMs = nextWaitMs(asked, performance.now() - startedAt);
    asked += 1;
    isOver = answer?.t === 'decided' || answer?.t === 'unknown';
    if (answer?.t === 'waiting') tell({ ...answer, isGivenUp: waitMs === null });
    else if (answer !== null) tell(answer);
    if (!isOver && waitMs !== null) timer = setTimeout(ask, waitMs);
  };
  const seen = () => {
    if (document.visibilityState === 'visible') void ask();
  };
  document.addEventListener('visibilitychange', seen);
  void ask();
  return () => {
    gone.abort();
    clearTimeout(timer);
    document.removeEventListener('visibilitychange', seen);
  };
}

/** Null: the service did not respond; the poll is repeated. */
async function look(id: string, signal: AbortSignal): Promise<WatchedOrder | null> {
  try {
    const order = await portalApi.order(id, { signal });
    return order.state === 'open'
      ? { t: 'waiting', order, isGivenUp: false }
      : { t: 'decided', order };
  } catch (error) {
    const isUnknown = error instanceof PortalError && [400, 404].includes(error.status);
    return isUnknown ? { t: 'unknown' } : null;
  }
}
