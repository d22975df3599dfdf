/** What the chart in use shows, as a table: its bars, and the rows of one bar with its marks in words. */

import { type ChartTable, chartTable, type TableBar } from '@tapeloom/charts/view/chart-table';
import { useEffect, useState } from 'preact/hooks';
import { Copy } from '../../components/copy.tsx';
import { useSeat } from './desk-context.tsx';
import { DrawerFrame } from './drawer-frame.tsx';
import type { Seat } from './seat.ts';

/** A table that changes with every trade cannot be read. */
const LOOK_MS = 1_000;
const BARS_MAX = 200;

export function TableDrawer() {
  const { seat } = useSeat();
  const table = useTable(seat);
  const [open, setOpen] = useState<number | null>(null);
  return (
    <DrawerFrame
      title="Bars as a table"
      foot={
        <div class="acts">
          <Copy kind="secondary" label="Copy as CSV" text={() => tableOf(seat)?.csv() ?? ''} />
          {open !== null && (
            <Copy
              kind="secondary"
              label="Copy this bar"
              text={() => tableOf(seat)?.rowsCsv(open) ?? ''}
            />
          )}
        </div>
      }
    >
      {table === null || table.bars.length === 0 ? (
        <p class="drawer-empty">No bars yet.</p>
      ) : (
        <table>
          <caption class="visually-hidden">{table.caption}</caption>
          <thead>
            <tr>
              {['Time', 'Close', 'Volume', 'Delta', 'POC'].map((name) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {table.bars.slice(0, BARS_MAX).map((bar) => (
              <BarRows
                key={bar.column}
                bar={bar}
                table={table}
                isOpen={bar.column === open}
                onToggle={() => setOpen(bar.column === open ? null : bar.column)}
              />
            ))}
          </tbody>
        </table>
      )}
    </DrawerFrame>
  );
}

function BarRows(props: {
  readonly bar: TableBar;
  readonly table: ChartTable;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}) {
  const { bar, table, isOpen } = props;
  if (bar.gap !== null) {
    return (
      <tr class="gap">
        <th scope="row">{bar.time}</th>
        <td colSpan={4}>{bar.gap}</td>
      </tr>
    );
  }
  const side = bar.side === 1 ? 'ask' : bar.side === -1 ? 'bid' : undefined;
  return (
    <>
      <tr class={isOpen ? 'is-open' : undefined}>
        <th scope="row">
          <button
            type="button"
            aria-expanded={isOpen}
            aria-label={`Rows of ${bar.time}`}
            onClick={props.onToggle}
          >
            {bar.time}
          </button>
        </th>
        <td>{bar.close}</td>
        <td>{bar.volume}</td>
        <td class={side}>{bar.delta}</td>
        <td>{bar.poc}</td>
      </tr>
      {isOpen && <LevelRows bar={bar} table={table} />}
    </>
  );
}

function LevelRows({ bar, table }: { readonly bar: TableBar; readonly table: ChartTable }) {
  const rows = table.rows(bar.column);
  return (
    <tr class="rows">
      <td colSpan={5}>
        {rows.length === 0 ? (
          'Candles have no volume by price.'
        ) : (
          <table>
            <caption class="visually-hidden">Rows of {bar.time}</caption>
            <thead>
              <tr>
                {['Price', 'Bid', 'Ask', 'Delta', 'Marks'].map((name) => (
                  <th key={name} scope="col">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.map((row) => (
                <tr key={row.price}>
                  <th scope="row">{row.price}</th>
                  <td>{row.bid}</td>
                  <td>{row.ask}</td>
                  <td>{row.delta}</td>
                  <td>{row.marks}</td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </td>
    </tr>
  );
}

function tableOf({ view }: Seat): ChartTable | null {
  return view === null ? null : chartTable(view.tableOptions);
}

function useTable(seat: Seat): ChartTable | null {
  const [table, setTable] = useState(() => tableOf(seat));
  useEffect(() => {
    setTable(tableOf(seat));
    const timer = setInterval(() => setTable(tableOf(seat)), LOOK_MS);
    return () => clearInterval(timer);
  }, [seat]);
  return table;
}
