/** Compute units of thirteen months, one bar each, against today's budget. */

import type { UsageView } from '../../api/portal-shapes.ts';
import { Card } from '../../components/card.tsx';
import { exactNumber } from '../../components/number-text.ts';
import type { Column } from '../../components/table.tsx';
import { AsTable, AxisLine } from './chart-parts.tsx';
import { monthAbbreviation, monthName, roundAbove } from './usage-pace.ts';
import { useWidth } from './use-width.ts';

const HEIGHT = 252;
const AXIS_WIDTH = 52;
const TOP = 16;
const FOOT = 22;

export function YearChart({ usage }: { readonly usage: UsageView }) {
  const { ref, width } = useWidth<HTMLDivElement>();
  return (
    <Card
      title="Last twelve months and this one"
      aside={<span class="tiny faint">Compute units</span>}
      body="card-body"
    >
      <div ref={ref} class="chart-svg">
        {width > 0 && <YearBars usage={usage} width={width} />}
      </div>
      <AsTable
        caption="Use by month, the newest first"
        columns={COLUMNS}
        rows={usage.months.toReversed()}
        rowKey={({ period }) => period}
      />
    </Card>
  );
}

function YearBars({ usage, width }: { readonly usage: UsageView; readonly width: number }) {
  const { months, limits } = usage;
  const limit = limits.computeBudget;
  const largest = Math.max(limit, ...months.map(({ used }) => used.computeUnits));
  const top = limit >= largest && limit > 0 ? limit : roundAbove(largest);
  const right = Math.max(0, width - AXIS_WIDTH);
  const step = right / months.length;
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
      {months.map(({ period, used }, index) => (
        <g key={period}>
          <rect
            class={period === usage.period ? 'bar today' : 'bar'}
            x={index * step + step * 0.2}
            y={y(used.computeUnits)}
            width={step * 0.6}
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
