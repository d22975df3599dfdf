/** A month's compute units: cumulative against the budget, and per day. */

import { Card } from '../../components/card.tsx';
import { exactNumber, proseNumber } from '../../components/number-text.ts';
import type { Column } from '../../components/table.tsx';
import { dayText } from '../../components/time-text.ts';
import { AsTable, AxisLine, BudgetKey } from './chart-parts.tsx';
import {
  CHART_HEIGHT,
  dayValues,
  type MonthFacts,
  type MonthShape,
  monthShape,
} from './month-shape.ts';
import { axisNumber, monthName, monthOf, shortMonthName, type UsageAt } from './usage-pace.ts';
import { useWidth } from './use-width.ts';

export function MonthChart({ usage, nowMs }: UsageAt) {
  const month = monthOf(usage.reportPeriod);
  const limit = usage.limits.computeBudget;
  const facts: MonthFacts = { month, days: usage.days, limit, nowMs };
  const { ref, width } = useWidth<HTMLDivElement>();
  const shape = width > 0 ? monthShape(facts, width) : null;
  const total = dayValues(facts).reduce((sum, value) => sum + value, 0);
  const of = limit > 0 ? ` of a budget of ${proseNumber(limit)}` : '';
  const title = limit > 0 ? 'Compute units against the budget' : 'Compute units';
  if (limit === 0 && total === 0) return <NoUnits month={month} />;
  return (
    <Card
      title={title}
      aside={
        <div class="keyline">
          <span>
            <i class="l" />
            Month so far
          </span>
          <span>
            <i class="b" />
            Each day
          </span>
          {limit > 0 && <BudgetKey />}
          {shape !== null && shape.end !== null && (
            <span>
              <i class="p" />
              At this pace
            </span>
          )}
        </div>
      }
      body="card-body"
    >
      <div ref={ref} class="chart-svg">
        {shape !== null && (
          <svg
            viewBox={`0 0 ${width} ${CHART_HEIGHT}`}
            role="img"
            aria-label={`Compute units a day in ${monthName(month.period)}: ${proseNumber(total)} so far${of}.`}
          >
            <MonthPanes shape={shape} total={total} />
          </svg>
        )}
      </div>
      <DayTable facts={facts} />
    </Card>
  );
}

/** Shown without a budget and without usage. */
function NoUnits({ month }: { readonly month: MonthFacts['month'] }) {
  return (
    <Card title="Compute units" body="card-body">
      <p class="muted">
        None were used in {monthName(month.period)}. Streams use none; history and exports do.
      </p>
    </Card>
  );
}

function MonthPanes({ shape, total }: { readonly shape: MonthShape; readonly total: number }) {
  const { right, sum, end, limit } = shape;
  const last = sum.at(-1);
  return (
    <>
      {[...shape.sumLines, ...shape.dayLines].map(({ value, y }) => (
        <AxisLine key={y} value={value} y={y} right={right} />
      ))}
      {limit !== null && <AxisLine {...limit} right={right} isLimit />}
      {shape.bars.map(({ day, x, y, width, height, isToday }) => (
        <rect
          key={day}
          class={isToday ? 'bar today' : 'bar'}
          x={x}
          y={y}
          width={width}
          height={height}
          rx="2"
        />
      ))}
      {last !== undefined && (
        <>
          <path class="cum" d={`M${sum.map(({ x, y }) => `${x} ${y}`).join('L')}`} />
          {end !== null && <path class="proj" d={`M${last.x} ${last.y}L${end.x} ${end.y}`} />}
          {total > 0 && <LastNote last={last} right={right} total={total} />}
        </>
      )}
      {end !== null && (
        <>
          <circle class="pin" cx={end.x} cy={end.y} r="4" />
          <text class="note" text-anchor="middle" x={end.x} y={end.y - 9}>
            {dayText(end.atMs).replace(/ \d{4}$/, '')}
          </text>
        </>
      )}
      {shape.days.map(({ day, x }) => (
        <text key={day} text-anchor="middle" x={x} y={CHART_HEIGHT - 4}>
          {day}
        </text>
      ))}
    </>
  );
}

/** Beside the end of the line, on the side with space. */
function LastNote(props: {
  readonly last: { readonly x: number; readonly y: number };
  readonly right: number;
  readonly total: number;
}) {
  const { last, right } = props;
  const isLeft = last.x > right - 70;
  return (
    <text
      class="note"
      text-anchor={isLeft ? 'end' : 'start'}
      x={last.x + (isLeft ? -6 : 8)}
      y={isLeft ? last.y - 8 : Math.min(last.y + 16, 150)}
    >
      {axisNumber(props.total)}
    </text>
  );
}

function DayTable({ facts }: { readonly facts: MonthFacts }) {
  if (facts.days.length === 0) return null;
  const columns: readonly Column<MonthFacts['days'][number]>[] = [
    {
      label: 'Day, UTC',
      cell: ({ day }) => `${Number(day.slice(-2))} ${shortMonthName(facts.month.period)}`,
    },
    { label: 'Compute units', isRight: true, cell: ({ used }) => exactNumber(used.computeUnits) },
    { label: 'Exported bytes', isRight: true, cell: ({ used }) => exactNumber(used.exportBytes) },
  ];
  return (
    <AsTable
      caption="What was charged, by day"
      columns={columns}
      rows={facts.days}
      rowKey={({ day }) => day}
    />
  );
}
