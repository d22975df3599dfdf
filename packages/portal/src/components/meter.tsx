/**
 * How much of a limit is used: the value first, then threads that are lit as far as the use goes. A tall dark one marks
 * where an even pace would be today.
 */

import type { ComponentChildren } from 'preact';
import { threadsOf } from './meter-threads.ts';
import { percentText } from './number-text.ts';

export interface ThreadsProps {
  /** 0 to 1; more is shown as full. */
  readonly share: number;
  /** Where an even pace would be, 0 to 1. */
  readonly pace?: number | undefined;
  /** As many as there are things to count, where that is few. */
  readonly count?: number;
  /** Warn before 80 %, because the pace does not last. */
  readonly isWarning?: boolean;
  /** No warning however much it is: all of it may be in use. */
  readonly isCounting?: boolean;
  /** A sentence for screen readers. */
  readonly label?: string;
}

export function Threads(props: ThreadsProps) {
  const { share, pace, count = 60, isWarning = false } = props;
  const { threads, level } = threadsOf(share, count, isWarning);
  return (
    <svg
      class={`threads ${props.isCounting ? '' : level}`}
      viewBox="0 0 600 12"
      preserveAspectRatio="none"
      role="img"
      aria-label={props.label ?? `${percentText(share)} used`}
    >
      {threads.map(({ x, width, isLit }) => (
        <rect key={x} class={isLit ? 'on' : 'off'} x={x} y="1" width={width} height="10" rx="1" />
      ))}
      {pace !== undefined && <rect class="pace" x={pace * 600 - 1.5} y="0" width="3" height="12" />}
    </svg>
  );
}

export function Meter(
  props: ThreadsProps & {
    readonly value: ComponentChildren;
    /** `of 20 GiB` */
    readonly of: ComponentChildren;
    /** One sentence. */
    readonly children?: ComponentChildren;
  },
) {
  const { value, of, children, ...threads } = props;
  return (
    <div class="meter">
      <div class="meter-value">
        {value} <small>{of}</small>
      </div>
      <Threads {...threads} />
      {children && <p>{children}</p>}
    </div>
  );
}
