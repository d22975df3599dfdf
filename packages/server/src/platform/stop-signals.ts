/**
 * SIGTERM and SIGINT: the first requests a clean stop, a later one ends the process at once.
 * Ctrl-C reaches a process under npm twice, from the terminal and forwarded by npm. So a signal shortly after the first
 * one counts as the same.
 */

const REPEAT_MS = 1_000;

export interface StopHandlers {
  readonly onFirst: (signal: string) => void;
  readonly onAgain: () => void;
}

export interface SignalSource {
  on(signal: 'SIGTERM' | 'SIGINT', listener: (signal: string) => void): unknown;
}

export function onStopSignals(
  { onFirst, onAgain }: StopHandlers,
  source: SignalSource = process,
  now: () => number = () => performance.now(),
): void {
  let firstMs: number | null = null;
  const handle = (signal: string) => {
    if (firstMs === null) {
      firstMs = now();
      onFirst(signal);
    } else if (now() - firstMs >= REPEAT_MS) {
      onAgain();
    }
  };
  source.on('SIGTERM', handle);
  source.on('SIGINT', handle);
}
