/** Metrics of the machine's clock. */

import type { ClockWatch } from '../../platform/clock-watch.ts';
import { gauge, type Reading } from '../../platform/metrics.ts';

export function clockReadings(watch: ClockWatch): readonly Reading[] {
  return [
    {
      name: 'tapeloom_clock_steps_total',
      help: "How often the machine's clock was set by more than a minute, by direction.",
      kind: 'counter',
      label: 'direction',
      read: () => ({ ...watch.steps }),
    },
    gauge(
      'tapeloom_clock_ahead_seconds',
      "How far the tape is ahead of the machine's clock; 0 if it is not.",
      () => watch.aheadMs / 1_000,
    ),
  ];
}
