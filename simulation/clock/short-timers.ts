/**
 * For tests of something that has to end within some time, whatever the speed of the machine: while this is there, timers of that time or
 * longer never end. What ends nevertheless was ended by a shorter one, and not by one of others that would have come later.
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

/** One that can be cancelled as any other. */
function never(setTimeout: typeof globalThis.setTimeout): NodeJS.Timeout {
  const timer = setTimeout(() => {}, 0);
  clearTimeout(timer);
  return timer;
}
