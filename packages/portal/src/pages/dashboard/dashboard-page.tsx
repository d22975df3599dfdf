/** The overview: usage and budgets of this month and the twelve before, by key, and what is open now. */

import './dashboard.css';
import { useRef, useState } from 'preact/hooks';
import { portalApi } from '../../api/portal-api.ts';
import type { KeyList, UsageView } from '../../api/portal-shapes.ts';
import { useLoaded, useReloadEvery } from '../../api/use-loaded.ts';
import { LoadError, Notice } from '../../components/notice.tsx';
import { dayText, millisecondsOf } from '../../components/time-text.ts';
import { useAccount } from '../../shell/account-context.tsx';
import { PageHead } from '../../shell/page-head.tsx';
import { OtherHalf } from '../plans/other-half.tsx';
import { ByKey } from './by-key.tsx';
import { type Declined, DeclinedNotice, useDeclined } from './declined-notice.tsx';
import { FirstDay, isFirstDay } from './first-day.tsx';
import { Meters } from './meters.tsx';
import { MonthChart } from './month-chart.tsx';
import { OpenNow } from './open-now.tsx';
import { PaceNotice } from './pace-notice.tsx';
import { RecoveryNotice } from './recovery-notice.tsx';
import { monthName, monthOf } from './usage-pace.ts';
import { YearChart } from './year-chart.tsx';

const LOOK_AGAIN_MS = 10_000;

interface Overview {
  readonly usage: UsageView;
  readonly keys: KeyList;
}

export function DashboardPage() {
  const [period, setPeriod] = useState<string | null>(null);
  const overview = useLoaded(async (signal): Promise<Overview> => {
    const [usage, keys] = await Promise.all([
      portalApi.usage(period, { signal }),
      portalApi.keys({ signal }),
    ]);
    return { usage, keys };
  }, period);
  // Numbers update while the page is open.
  useReloadEvery(LOOK_AGAIN_MS, overview.reload);
  const { value, error } = overview;
  const declined = useDeclined();
  const account = useAccount();
  // Notices appear above everything else, so their data is awaited: none may push down content that is already visible.
  const isWaiting = declined.isLoading || (account?.isLoading === true && account.value === null);
  const isShown = value !== null && !isWaiting;
  // The month's selector stays in place, with the focus, while the chosen month loads.
  const head = useRef<UsageView | null>(null);
  if (value !== null) head.current = value.usage;
  return (
    <>
      <PageHead title="Overview">
        {head.current === null ? (
          <HeadGhost />
        ) : (
          <>
            <Renews atMs={millisecondsOf(head.current.resetsAt)} />
            <MonthSelect usage={head.current} chosen={period} onChange={setPeriod} />
          </>
        )}
      </PageHead>
      {!isShown && error === null && <OverviewSkeleton />}
      {value === null && error !== null && (
        <LoadError title="The usage did not load" error={error} onRetry={overview.reload}>
          Streams and requests continue.
        </LoadError>
      )}
      {value !== null && error !== null && (
        <div class="frame-notice">
          <Notice kind="warn" title="These numbers are out of date." isNews>
            {error.message} This page asks again by itself.
          </Notice>
        </div>
      )}
      {isShown && (
        <OverviewParts {...value} declined={declined.value} onChanged={overview.reload} />
      )}
    </>
  );
}

function OverviewParts({
  usage,
  keys,
  declined,
  onChanged,
}: Overview & { readonly declined: Declined | null; readonly onChanged: () => void }) {
  const nowMs = Date.now();
  const account = useAccount()?.value ?? null;
  const [isLooking, setIsLooking] = useState(false);
  // Charts without any usage are omitted.
  const isUnused = usage.months.every(({ used }) => used.computeUnits + used.restRequests === 0);
  return (
    <div class="stack">
      {account?.recovery != null && <RecoveryNotice dueAt={account.recovery.dueAt} />}
      {declined !== null && <DeclinedNotice {...declined} />}
      <OtherHalf />
      <PaceNotice usage={usage} nowMs={nowMs} />
      {(isLooking || isFirstDay({ usage, keys })) && (
        <FirstDay
          usage={usage}
          keys={keys}
          isLooking={isLooking}
          onLooking={(isNow) => {
            setIsLooking(isNow);
            onChanged();
          }}
        />
      )}
      <Meters usage={usage} nowMs={nowMs} />
      {!isUnused && (
        <>
          <div class="grid-2">
            <MonthChart usage={usage} nowMs={nowMs} />
            <OpenNow usage={usage} />
          </div>
          <ByKey usage={usage} />
          {usage.months.some(({ used }) => used.computeUnits > 0) && account !== null && (
            <YearChart usage={usage} createdMs={millisecondsOf(account.createdAt)} />
          )}
        </>
      )}
    </div>
  );
}

function Renews({ atMs }: { readonly atMs: number }) {
  const day = dayText(atMs).replace(/ \d{4}$/, '');
  return <span class="small faint">Renews {day}, 00:00 UTC</span>;
}

/** The size of the loaded head: on a narrow page it has its own lines. */
function HeadGhost() {
  const period = new Date().toISOString().slice(0, 7);
  return (
    <div class="head-ghost" aria-hidden="true">
      <Renews atMs={monthOf(period).untilMs} />
      <span class="input month-select">{monthName(period)}</span>
    </div>
  );
}

function MonthSelect(props: {
  readonly usage: UsageView;
  readonly chosen: string | null;
  readonly onChange: (period: string | null) => void;
}) {
  const { months, period } = props.usage;
  return (
    <select
      class="input month-select"
      aria-label="Month"
      value={props.chosen ?? period}
      onChange={({ currentTarget: { value } }) => props.onChange(value === period ? null : value)}
    >
      {months.toReversed().map((month) => (
        <option key={month.period} value={month.period}>
          {monthName(month.period)}
        </option>
      ))}
    </select>
  );
}

function OverviewSkeleton() {
  return (
    <section class="stack late loading" aria-busy="true" aria-label="The overview is loading">
      <div class="grid-3">
        {[0, 1, 2].map((card) => (
          <div class="card stat" key={card}>
            <div class="skeleton" />
          </div>
        ))}
      </div>
      <div class="card chart-ghost">
        <div class="skeleton" />
      </div>
    </section>
  );
}
