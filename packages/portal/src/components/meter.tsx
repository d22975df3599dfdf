/** The used share of a limit: the value, then threads lit up to it. A tall dark thread marks today's even pace. */

import type { ComponentChildren } from 'preact';
import { threadsOf } from './meter-threads.ts';
import { percentText } from './number-text.ts';

export interface ThreadsProps {
  /** 0 to 1; more is shown as full. */
  readonly share: number;
  /** The share of an even pace, 0 to 1. */
  readonly pace?: number | undefined;
  /** The number of countable things, if small. */
  readonly count?: number;
  /** Warns below 80 %, because the pace would exceed the limit. */
  readonly isWarning?: boolean;
  /** Never warns: using all of it is fine. */
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
