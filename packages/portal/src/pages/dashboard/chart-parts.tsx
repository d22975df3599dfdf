/** Shared by the charts of the overview: axis lines with their values, and the numbers as a table. */

import { Table, type TableProps } from '../../components/table.tsx';
import { axisNumber } from './usage-pace.ts';

export function AxisLine(props: {
  readonly value: number;
  readonly y: number;
  /** Where the line ends and the axis begins. */
  readonly right: number;
  /** Marks the budget's line. */
  readonly isLimit?: boolean;
}) {
  const { value, y, right, isLimit = false } = props;
  return (
    <g>
      <path class={isLimit ? 'limit' : 'grid'} d={`M0 ${y}H${right}`} />
      <text class={isLimit ? 'limit-label' : undefined} x={right + 8} y={y + 4}>
        {axisNumber(value)}
      </text>
    </g>
  );
}

export function BudgetKey() {
  return (
    <span>
      <i class="d" />
      Budget
    </span>
  );
}

export function AsTable<Row>(props: TableProps<Row>) {
  return (
    <details class="more as-table">
      <summary>Show as table</summary>
      <Table {...props} />
    </details>
  );
}
