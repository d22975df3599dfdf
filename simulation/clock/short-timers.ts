/**
 * For tests of code that must end within a time, on machines of any speed: while this exists, timers of that time or
 * longer never fire. Code that ends nevertheless was ended by a shorter timer.
 */
export function onlyTimersBelow(ms: number): Disposable {
  const { setTimeout } = globalThis;
  const held = ((call: (...values: unknown[]) => void, after = 0, ...values: unknown[]) =>
    after < ms ? setTimeout(call, after, ...values) : never(setTimeout)) as typeof setTimeout;
  globalThis.setTimeout = held;
  return {
    [Symbol.dispose]: () => {
      globalThis.setTimeout = setTimeout;
    },
  };
}

/** A timer that never fires and can be cancelled. */
function never(setTimeout: typeof globalThis.setTimeout): NodeJS.Timeout {
  const timer = setTimeout(() => {}, 0);
  clearTimeout(timer);
  return timer;
}
