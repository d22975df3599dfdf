/** An instant on a page. The title always has the exact one, in UTC and in the reader's own time. */

import { useEffect, useState } from 'preact/hooks';
import { bothTimesText, dayText, millisecondsOf, minuteText, relativeText } from './time-text.ts';

const LOOK_AGAIN_MS = 30_000;

/** `day`: 15 Nov 2026; `minute` adds 09:41 UTC; `both` also the reader's own time; `relative`: 2 min ago, updating. */
export type TimeForm = 'day' | 'minute' | 'both' | 'relative';

export function Time(props: { readonly at: string; readonly form?: TimeForm }) {
  const { at, form = 'minute' } = props;
  const ms = millisecondsOf(at);
  const now = useNow(form === 'relative');
  const both = bothTimesText(ms, Intl.DateTimeFormat().resolvedOptions().timeZone);
  return (
    <time class="num" dateTime={new Date(ms).toISOString()} title={form === 'both' ? '' : both}>
      {form === 'day' && dayText(ms)}
      {form === 'minute' && `${minuteText(ms)} UTC`}
      {form === 'both' && both}
      {form === 'relative' && relativeText(ms, now)}
    </time>
  );
}

/** The current time, which updates itself if `isRunning`. */
function useNow(isRunning: boolean): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (!isRunning) return undefined;
    const timer = setInterval(() => setNow(Date.now()), LOOK_AGAIN_MS);
    return () => clearInterval(timer);
  }, [isRunning]);
  return now;
}
