/** Warns before the compute budget runs out. Once it is used up, explains what still works and when it renews. */

import { ButtonLink } from '../../components/button.tsx';
import { Notice } from '../../components/notice.tsx';
import { millisecondsOf } from '../../components/time-text.ts';
import { dayAndMonth, monthOf, paceOf, shortMonthName, type UsageAt } from './usage-pace.ts';

export function PaceNotice({ usage, nowMs }: UsageAt) {
  const { used, limits, period } = usage;
  const pace = paceOf(used.computeUnits, limits.computeBudget, monthOf(period), nowMs);
  const returns = dayAndMonth(millisecondsOf(usage.resetsAt));
  const action = (
    <ButtonLink size="sm" href="#by-key">
      See what uses it
    </ButtonLink>
  );
  if (pace.t === 'used-up') {
    return (
      <Notice
        kind="danger"
        title={`The compute budget of ${shortMonthName(period)} is used up.`}
        action={action}
      >
        Streams continue. History and exports are available again on {returns}, 00:00 UTC.
      </Notice>
    );
  }
  if (pace.t === 'short') {
    const day = dayAndMonth(pace.atMs);
    return (
      <Notice
        kind="warn"
        title={`At this pace the compute budget lasts until ${day}.`}
        action={action}
      >
        Streams continue. History and exports would stop until {returns}.
      </Notice>
    );
  }
  return null;
}
