/** Data that a page must fetch first: its present value, and a way to reload it. */

import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { PortalError } from './portal-error.ts';

export interface Loaded<Value> {
  /** The last fetched value; it stays during a reload and when a reload fails. */
  readonly value: Value | null;
  readonly error: PortalError | null;
  readonly isLoading: boolean;
  readonly reload: () => void;
}

/** Fetches on mount and whenever `key` changes. A late response to an earlier request is dropped; unmounting aborts. */
export function useLoaded<Value>(
  load: (signal: AbortSignal) => Promise<Value>,
  key: string | null = null,
): Loaded<Value> {
  const [state, setState] = useState<Omit<Loaded<Value>, 'reload'>>({
    value: null,
    error: null,
    isLoading: true,
  });
  const [turn, setTurn] = useState(0);
  const latest = useRef(load);
  latest.current = load;
  const keyShown = useRef(key);
  useEffect(() => {
    const abort = new AbortController();
    const isOther = keyShown.current !== key;
    keyShown.current = key;
    // The error of a reload stays until one succeeds, so that it does not flicker with every try.
    setState(({ value, error }) =>
      isOther || value === null
        ? { value: null, error: null, isLoading: true }
        : { value, error, isLoading: true },
    );
    latest.current(abort.signal).then(
      (value) => {
        if (!abort.signal.aborted) setState({ value, error: null, isLoading: false });
      },
      (cause: unknown) => {
        if (abort.signal.aborted) return;
        const error = portalError(cause);
        setState(({ value }) => ({ value, error, isLoading: false }));
      },
    );
    return () => abort.abort();
  }, [turn, key]);

  const reload = useCallback(() => setTurn((count) => count + 1), []);
  return { ...state, reload };
}

/** Reloads periodically, except while the page is hidden. */
export function useReloadEvery(ms: number, reload: () => void): void {
  useEffect(() => {
    const timer = setInterval(() => !document.hidden && reload(), ms);
    return () => clearInterval(timer);
  }, [ms, reload]);
}

/** A fault of our own code is shown like any other error, and also logged to the console. */
export function portalError(cause: unknown): PortalError {
  if (cause instanceof PortalError) return cause;
  console.error(cause);
  return new PortalError('INTERNAL', 'This page failed. Reload it, or try again later.', { cause });
}
