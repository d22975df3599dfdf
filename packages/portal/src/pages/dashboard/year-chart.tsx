/** Compute units of up to thirteen months since the account's creation, one bar each, against today's budget. */

import type { UsageView } from '../../api/portal-shapes.ts';
import { Card } from '../../components/card.tsx';
import { exactNumber, proseNumber } from '../../components/number-text.ts';
import type { Column } from '../../components/table.tsx';
import { AsTable, AxisLine, BudgetKey } from './chart-parts.tsx';
import { monthAbbreviation, monthName } from './usage-pace.ts';
import { useWidth } from './use-width.ts';
import { monthsSince, type YearScale, yearScale } from './year-shape.ts';

const HEIGHT = 252;
const AXIS_WIDTH = 52;
const TOP = 16;
const FOOT = 22;
const BAR_WIDTH_MAX = 56;
const MONTHS_MAX = 13;

interface YearProps {
  readonly usage: UsageView;
  readonly createdMs: number;
}

export function YearChart({ usage, createdMs }: YearProps) {
  const { ref, width } = useWidth<HTMLDivElement>();
  const months = monthsSince(usage.months, createdMs);
  // The month's chart already shows a single month.
  if (months.length === 1) return null;
  const limit = usage.limits.computeBudget;
  const scale = yearScale(limit, Math.max(...months.map(({ used }) => used.computeUnits)));
  return (
    <Card
      title={
        months.length === MONTHS_MAX
          ? 'Last twelve months and this one'
          : `Since ${monthName(months[0]!.period)}`
      }
      aside={
        <div class="keyline">
          <span>
            <i class="b" />
            Compute units
          </span>
          {scale.hasLimit && <BudgetKey />}
        </div>
      }
      body="card-body"
    >
      <div ref={ref} class="chart-svg">
        {width > 0 && <YearBars usage={usage} months={months} width={width} scale={scale} />}
      </div>
      <AsTable
        caption="Usage by month, newest first"
        columns={COLUMNS}
        rows={months.toReversed()}
        rowKey={({ period }) => period}
      />
    </Card>
  );
}

function YearBars(props: {
  readonly usage: UsageView;
  readonly months: UsageView['months'];
  readonly width: number;
  readonly scale: YearScale;
}) {
  const { usage, months, width } = props;
  const { top, hasLimit } = props.scale;
  const limit = usage.limits.computeBudget;
  const right = Math.max(0, width - AXIS_WIDTH);
  const step = right / months.length;
  const barWidth = Math.min(step * 0.6, BAR_WIDTH_MAX);
  const y = (value: number) => TOP + (1 - value / top) * (HEIGHT - FOOT - TOP);
  const busiest = months.reduce((most, month) =>
    month.used.computeUnits > most.used.computeUnits ? month : most,
  );
  return (
    <svg
      viewBox={`0 0 ${width} ${HEIGHT}`}
      role="img"
      aria-label={`Compute units a month. Most were used in ${monthName(busiest.period)}: ${exactNumber(busiest.used.computeUnits)}.`}
    >
      {[0, top / 2, top].map((value) => (
        <AxisLine
          key={value}
          value={value}
          y={y(value)}
          right={right}
          isLimit={value === limit && value > 0}
        />
      ))}
      {hasLimit && limit < top && <AxisLine value={limit} y={y(limit)} right={right} isLimit />}
      {!hasLimit && limit > 0 && (
        <text x="0" y="10">
          Far below the budget of {proseNumber(limit)} a month
        </text>
      )}
      {months.map(({ period, used }, index) => (
        <g key={period}>
          <rect
            class={period === usage.period ? 'bar today' : 'bar'}
            x={index * step + (step - barWidth) / 2}
            y={y(used.computeUnits)}
            width={barWidth}
            height={HEIGHT - FOOT - y(used.computeUnits)}
            rx="3"
          />
          {(width >= 420 || index % 3 === 0) && (
            <text text-anchor="middle" x={index * step + step / 2} y={HEIGHT - 4}>
              {monthAbbreviation(period)}
            </text>
          )}
        </g>
      ))}
    </svg>
  );
}

const COLUMNS: readonly Column<UsageView['months'][number]>[] = [
  { label: 'Month', cell: ({ period }) => monthName(period) },
  { label: 'Compute units', isRight: true, cell: ({ used }) => exactNumber(used.computeUnits) },
  { label: 'History results', isRight: true, cell: ({ used }) => exactNumber(used.historyItems) },
  { label: 'Exported bytes', isRight: true, cell: ({ used }) => exactNumber(used.exportBytes) },
  { label: 'Requests', isRight: true, cell: ({ used }) => exactNumber(used.restRequests) },
];
