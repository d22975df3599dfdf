/** Logs when the machine's clock is set while the service runs: by how much, and whether the tape is then ahead. */

import type { EpochNs } from '@tapeloom/core/numbers';
import type { Clock } from '../../platform/clock.ts';
import { ClockWatch } from '../../platform/clock-watch.ts';
import type { Log } from '../../platform/log/log.ts';

export interface WatchedClock {
  readonly timers: Clock;
  readonly log: Log;
  readonly tapeTime: () => EpochNs | null;
  /** Whether streams show times ahead of the clock. */
  readonly onAhead: (isAhead: boolean) => void;
}

export function watchClock({ timers, log, tapeTime, onAhead }: WatchedClock): ClockWatch {
  return new ClockWatch({
    timers,
    tapeTime,
    onStep: (ms) =>
      log.error(
        { ms },
        ms > 0
          ? "the machine's clock was set forward; the tape follows at once, and stays ahead if the clock is set back again"
          : "the machine's clock was set back; the tape runs at half speed until the clock has caught up",
      ),
    onAhead: (isAhead, ms) => {
      if (isAhead) log.error({ ms }, "the tape is ahead of the machine's clock; streams are stale");
      else log.warn("the machine's clock has caught up with the tape; streams are live again");
      onAhead(isAhead);
    },
  });
}
