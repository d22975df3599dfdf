/**
 * The script of each frame, from a trace of Chromium: processor time of the page's main thread in callbacks of frames,
 * events, timers and microtasks, with the garbage collections in them. Another program that interrupts the thread adds
 * to the time on the clock and not to the processor time.
 */

export interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  /** Microseconds. */
  readonly ts: number;
  readonly dur?: number;
  /** Processor time of the thread. */
  readonly tdur?: number;
}

export interface FrameScript {
  readonly cpuMs: number;
  readonly clockMs: number;
  /** The longest single script on the clock. */
  readonly longestMs: number;
}

const FRAME_MARK = 'bench-frame';
const SCRIPTS: ReadonlySet<string> = new Set([
  'FireAnimationFrame',
  'EventDispatch',
  'TimerFire',
  'FunctionCall',
  'RunMicrotasks',
  'EvaluateScript',
  'FireIdleCallback',
  'MinorGC',
  'MajorGC',
]);

/** A frame begins with the callback that sets the mark, and ends where the next one begins. The last one is left out. */
export function frameScripts(trace: readonly TraceEvent[]): readonly FrameScript[] {
  const marks = trace.filter(({ name }) => name === FRAME_MARK);
  const first = marks[0];
  if (first === undefined) return [];
  const outermost = outermostScripts(
    trace.filter(({ pid, tid }) => pid === first.pid && tid === first.tid),
  );
  const starts = marks
    .map(({ ts }) => outermost.find((script) => script.ts <= ts && ts <= endOf(script))?.ts ?? ts)
    .sort((a, b) => a - b);
  const frames = starts.slice(1).map(() => ({ cpuMs: 0, clockMs: 0, longestMs: 0 }));
  let frame = 0;
  for (const { ts, dur = 0, tdur = dur } of outermost) {
    while (frame + 1 < starts.length && ts >= starts[frame + 1]!) frame += 1;
    const sums = frames[frame];
    if (sums === undefined || ts < starts[0]!) continue;
    sums.cpuMs += tdur / 1_000;
    sums.clockMs += dur / 1_000;
    sums.longestMs = Math.max(sums.longestMs, dur / 1_000);
  }
  return frames;
}

function outermostScripts(events: readonly TraceEvent[]): readonly TraceEvent[] {
  const scripts = events
    .filter(({ name, ph }) => ph === 'X' && SCRIPTS.has(name))
    .sort((a, b) => a.ts - b.ts || endOf(b) - endOf(a));
  let end = Number.NEGATIVE_INFINITY;
  return scripts.filter((script) => {
    if (script.ts < end) return false;
    end = endOf(script);
    return true;
  });
}

function endOf({ ts, dur = 0 }: TraceEvent): number {
  return ts + dur;
}
