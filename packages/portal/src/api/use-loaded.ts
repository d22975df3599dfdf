/** Something a page shows that must be fetched first: what there is of it now, and a way to fetch it again. */

import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { PortalError } from './portal-error.ts';

export interface Loaded<Value> {
  /** What was fetched last; it stays while a newer one is fetched, and when that fails. */
  readonly value: Value | null;
  readonly error: PortalError | null;
  readonly isLoading: boolean;
  readonly reload: () => void;
}

/**
 * Fetches on mount and whenever `key` changes. A slower answer to an earlier question is dropped, and leaving the page
 * ends what is under way.
 */
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
    // What failed beside an older value is said until it succeeds, and does not come and go with every try.
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

/** Fetches again from time to time; not while nobody looks. */
export function useReloadEvery(ms: number, reload: () => void): void {
  useEffect(() => {
    const timer = setInterval(() => !document.hidden && reload(), ms);
    return () => clearInterval(timer);
  }, [ms, reload]);
}

/** A fault of our own code is shown like any other, and is in the console as well. */
export function portalError(cause: unknown): PortalError {
  if (cause instanceof PortalError) return cause;
  console.error(cause);
  return new PortalError('INTERNAL', 'This page failed. Reload it, or try again later.', { cause });
}
