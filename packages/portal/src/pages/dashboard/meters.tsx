/** Three meters: compute units, exports, requests. Each shows the value, its limit, and one sentence. */

import type { UsageView, Used } from '../../api/portal-shapes.ts';
import { Meter } from '../../components/meter.tsx';
import { bytesText, exactNumber, percentText, proseNumber } from '../../components/number-text.ts';
import { elapsedShare, monthOf, paceOf, shortMonthName, type UsageAt } from './usage-pace.ts';

export function Meters({ usage, nowMs }: UsageAt) {
  const used = usedIn(usage);
  const { limits } = usage;
  return (
    <div class="grid-3">
      <Budget
        usage={usage}
        nowMs={nowMs}
        title="Compute units"
        used={used.computeUnits}
        limit={limits.computeBudget}
        text={proseNumber}
      />
      <Budget
        usage={usage}
        nowMs={nowMs}
        title="Export volume"
        used={used.exportBytes}
        limit={limits.exportBytes}
        text={bytesText}
      />
      <section class="card stat">
        <h2>REST requests</h2>
        <div class="meter">
          <div class="meter-value">
            {exactNumber(used.restRequests)} <small>in {shortMonthName(usage.reportPeriod)}</small>
          </div>
          <p>
            Up to {exactNumber(limits.restPerMinute)} a minute. {exactNumber(used.historyItems)}{' '}
            results of history queries received.
          </p>
        </div>
      </section>
    </div>
  );
}

/** Of the displayed month. */
function usedIn({ months, reportPeriod, used }: UsageView): Used {
  return months.find(({ period }) => period === reportPeriod)?.used ?? used;
}

function Budget(
  props: UsageAt & {
    readonly title: string;
    readonly used: number;
    readonly limit: number;
    readonly text: (value: number) => string;
  },
) {
  const { title, used, limit, text, usage, nowMs } = props;
  if (limit === 0) {
    return (
      <section class="card stat">
        <h2>{title}</h2>
        <div class="meter">
          <div class="meter-value" title={exactNumber(used)}>
            {text(used)} <small>used</small>
          </div>
          <p>
            Your plan has no budget for this. <a href="/plans">Historical has one</a>.
          </p>
        </div>
      </section>
    );
  }
  const month = monthOf(usage.reportPeriod);
  const isCurrent = usage.reportPeriod === usage.period;
  const pace = elapsedShare(month, nowMs);
  const isShort = isCurrent && paceOf(used, limit, month, nowMs).t !== 'lasts';
  const { value, of } = sameUnit(used, limit, text);
  return (
    <section class="card stat">
      <h2>{title}</h2>
      <Meter
        value={<span title={exactNumber(used)}>{value}</span>}
        of={of}
        share={used / limit}
        pace={isCurrent ? pace : undefined}
        isWarning={isShort}
        label={`${title}: ${percentText(used / limit)} used`}
      >
        <span class={isShort ? 'warn-text' : undefined}>{percentText(used / limit)} used</span>
        {isCurrent
          ? `, ${percentText(pace)} of the month gone`
          : `, ${text(Math.max(0, limit - used))} were left`}
      </Meter>
    </section>
  );
}

/** `12.42` of `20 billion` if both have the same unit. */
function sameUnit(used: number, limit: number, text: (value: number) => string) {
  const [value, unit] = split(text(used));
  const [, limitUnit] = split(text(limit));
  const isSame = unit !== '' && unit === limitUnit;
  return { value: isSame ? value : text(used), of: `of ${text(limit)}` };
}

function split(text: string): [value: string, unit: string] {
  const at = text.indexOf(' ');
  return at === -1 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}
