/** A user action that takes a while: one run at a time, busy during it, and its error until the next run. */

import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { PortalError } from './portal-error.ts';
import { portalError } from './use-loaded.ts';

export interface Action<Args extends readonly unknown[]> {
  /** Resolves to whether it succeeded. A call during a run does nothing. */
  readonly run: (...args: Args) => Promise<boolean>;
  readonly isBusy: boolean;
  readonly error: PortalError | null;
  readonly clear: () => void;
}

export function useAction<Args extends readonly unknown[]>(
  act: (...args: Args) => Promise<unknown>,
): Action<Args> {
  const [state, setState] = useState<{ isBusy: boolean; error: PortalError | null }>({
    isBusy: false,
    error: null,
  });
  const latest = useRef(act);
  latest.current = act;
  const isRunning = useRef(false);
  const isGone = useRef(false);
  useEffect(() => {
    isGone.current = false;
    return () => {
      isGone.current = true;
    };
  }, []);

  const run = useCallback(async (...args: Args) => {
    if (isRunning.current) return false;
    isRunning.current = true;
    setState({ isBusy: true, error: null });
    let error: PortalError | null = null;
    try {
      await latest.current(...args);
    } catch (cause) {
      error = portalError(cause);
    }
    isRunning.current = false;
    if (!isGone.current) setState({ isBusy: false, error });
    return error === null;
  }, []);
  const clear = useCallback(() => setState((now) => ({ ...now, error: null })), []);
  return { ...state, run, clear };
}
