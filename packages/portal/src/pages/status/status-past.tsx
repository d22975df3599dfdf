/** The last ninety days: a bar per day, the uptime within the recorded time, and every incident with its times. */

import {
  causeText,
  lengthText,
  PAST_DAY_WORDS,
  uptimeText,
} from '@tapeloom/core/status/status-words';
import type { StatusHistoryView } from '../../api/portal-shapes.ts';
import { Card } from '../../components/card.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import { dayText, millisecondsOf } from '../../components/time-text.ts';
import { daysSentence, dayWords, type PastDay } from './past-words.ts';

type Incident = StatusHistoryView['incidents'][number];

const STEP = 10;
const BAR_WIDTH = 7;
const HEIGHT = 40;
/** An unrecorded day is low and hollow; a day with downtime has a mark above its bar. */
const LOW = 12;
const TOP = 8;

export function StatusPast({ past }: { readonly past: StatusHistoryView | null }) {
  const uptime = past === null ? null : uptimeText(past.days);
  return (
    <Card
      title="Last 90 days"
      titleId="status-past"
      aside={uptime !== null && <span class="small num">Up {uptime} of the recorded time</span>}
    >
      {past === null ? (
        <p class="card-body muted">The history is not available now. This page tries again.</p>
      ) : (
        <Past {...past} />
      )}
    </Card>
  );
}

function Past({ recordedSince, days, incidents }: StatusHistoryView) {
  const isPartOf = days[0]?.state === 'none';
  return (
    <>
      <div class="card-body status-past">
        <Days days={days} />
        {recordedSince === null && <p class="muted">Nothing was recorded yet.</p>}
        {recordedSince !== null && isPartOf && (
          <p class="small muted">
            Recorded since <Time at={recordedSince} />. There is no record of the time before.
          </p>
        )}
        {recordedSince !== null && incidents.length === 0 && <p>No incidents.</p>}
      </div>
      {incidents.length > 0 && (
        <Table
          caption="Incidents, newest first"
          columns={COLUMNS}
          rows={incidents}
          rowKey={({ from }) => from}
          isSlim
        />
      )}
    </>
  );
}

function Days({ days }: { readonly days: readonly PastDay[] }) {
  const width = days.length * STEP - (STEP - BAR_WIDTH);
  return (
    <figure class="status-days">
      <svg
        viewBox={`0 0 ${width} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={daysSentence(days)}
      >
        {days.map((day, index) => (
          <DayBar key={day.day} day={day} x={index * STEP} />
        ))}
      </svg>
      <figcaption class="tiny faint">
        <span class="past-ends">
          <span>{shortDay(days[0])}</span>
          <span>Today</span>
        </span>
        <span class="past-legend">
          {(['up', 'partial', 'down', 'none'] as const)
            .filter((state) => state === 'up' || days.some((day) => day.state === state))
            .map((state) => (
              <span key={state}>
                <i class={`past-mark ${state}`} />
                {PAST_DAY_WORDS[state]}
              </span>
            ))}
        </span>
      </figcaption>
    </figure>
  );
}

function DayBar({ day, x }: { readonly day: PastDay; readonly x: number }) {
  const { state } = day;
  const height = state === 'none' ? LOW : HEIGHT - TOP;
  return (
    <g class={`past-day ${state}`}>
      <title>{dayWords(day)}</title>
      <rect class="bar" x={x} y={HEIGHT - height} width={BAR_WIDTH} height={height} />
      {state === 'partial' && (
        <rect class="part" x={x} y={TOP} width={BAR_WIDTH} height={(HEIGHT - TOP) / 2} />
      )}
      {state === 'down' && <rect class="past-top" x={x} y="0" width={BAR_WIDTH} height="4" />}
      <rect class="hover" x={x - 1.5} y="0" width={STEP} height={HEIGHT} />
    </g>
  );
}

function shortDay(day: PastDay | undefined): string {
  return day === undefined ? '' : dayText(Date.parse(day.day)).replace(/ \d{4}$/, '');
}

const COLUMNS: readonly Column<Incident>[] = [
  { label: 'From', class: 'status-name', cell: ({ from }) => <Time at={from} /> },
  {
    label: 'Until',
    cell: ({ until }) =>
      until === null ? <span class="badge warn">Ongoing</span> : <Time at={until} />,
  },
  {
    label: 'For',
    cell: ({ from, until }) => {
      const endMs = until === null ? Date.now() : millisecondsOf(until);
      const length = lengthText(Math.max(0, Math.round((endMs - millisecondsOf(from)) / 1_000)));
      return until === null ? `${length} so far` : length;
    },
  },
  {
    label: 'What happened',
    class: 'muted',
    isSentence: true,
    cell: ({ cause }) => causeText(cause),
  },
];
