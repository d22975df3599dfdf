/** Redraws a component when a part of a store changes. */

import { useEffect, useReducer, useRef } from 'preact/hooks';
import type { Store } from './store.ts';

export function useStore<Value>(store: Store<Value>): Value;
export function useStore<Value, Part>(store: Store<Value>, part: (value: Value) => Part): Part;
export function useStore<Value, Part>(
  store: Store<Value>,
  part: (value: Value) => Part | Value = (value) => value,
): Part | Value {
  const [, redraw] = useReducer((turn: number, _: undefined) => turn + 1, 0);
  const latest = useRef(part);
  latest.current = part;
  const shown = part(store.value);
  const last = useRef(shown);
  last.current = shown;
  useEffect(() => {
    const look = () => {
      if (!Object.is(latest.current(store.value), last.current)) redraw(undefined);
    };
    // It may have changed between the first drawing and this effect.
    look();
    return store.listen(look);
  }, [store]);
  return shown;
}
