/** Polls whether a key was used, until it was. Pauses while the page is hidden. */

import { useEffect, useState } from 'preact/hooks';
import { portalApi } from '../../api/portal-api.ts';

const LOOK_EVERY_MS = 3_000;
/** After this many polls, polling slows down. */
const EAGER_LOOKS = 60;
const LOOK_LATER_MS = 15_000;

export function useFirstUse(keyId: string): boolean {
  const [isUsed, setIsUsed] = useState(false);
  useEffect(() => {
    if (isUsed) return undefined;
    const abort = new AbortController();
    let looks = 0;
    let timer: ReturnType<typeof setTimeout>;
    const look = async () => {
      looks += 1;
      if (document.visibilityState === 'visible') {
        // The next poll follows a failed one; the page already shows what matters.
        const list = await portalApi.keys({ signal: abort.signal }).catch(() => null);
        if (abort.signal.aborted) return;
        const key = list?.keys.find(({ id }) => id === keyId);
        if (key !== undefined && key.lastUsedAt !== null) {
          setIsUsed(true);
          return;
        }
      }
      timer = setTimeout(look, looks < EAGER_LOOKS ? LOOK_EVERY_MS : LOOK_LATER_MS);
    };
    timer = setTimeout(look, LOOK_EVERY_MS);
    return () => {
      abort.abort();
      clearTimeout(timer);
    };
  }, [keyId, isUsed]);
  return isUsed;
}
