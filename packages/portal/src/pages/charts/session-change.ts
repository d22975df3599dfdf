/** The last price and its change since the session opened, or since the first bar that is loaded. */

import { MINUS, priceText } from '@tapeloom/charts/scene/number-text';
import type { ChartBar, Column } from '@tapeloom/charts/series/chart-bar';
import type { ChartContent } from '@tapeloom/charts/series/chart-content';
import { sessionAt } from '@tapeloom/charts/series/sessions';

export interface SessionChange {
  readonly last: string;
  /** `−27.50`; empty without an earlier price. */
  readonly change: string;
  /** The instant since which it counts; null: the session's open. */
  readonly sinceNs: bigint | null;
}

/** The first bar of a whole session begins so soon after its open that nothing traded before it. */
const FIRST_BAR_NS_MAX = 300_000_000_000n;

export function sessionChange({ bars, sessions, instrument }: ChartContent): SessionChange | null {
  const { last } = bars;
  if (last === null || instrument === null) return null;
  const tick = instrument.tickSizeNanos;
  const text = priceText(last.close, tick);
  const session = sessions[sessionAt(sessions, last.fromNs)];
  if (session === undefined) return { last: text, change: '', sinceNs: null };
  const { columns } = bars;
  const before = bars.columnAt(session.openNs - 1n);
  const first = firstBar(columns, before + 1);
  if (first === null) return { last: text, change: '', sinceNs: null };
  const isWhole = before >= 0 || first.fromNs - session.openNs < FIRST_BAR_NS_MAX;
  const difference = last.close - first.open;
  const size = priceText(Math.abs(difference), tick);
  const sign = difference > 0 ? '+' : difference < 0 ? MINUS : '±';
  return { last: text, change: `${sign}${size}`, sinceNs: isWhole ? null : first.fromNs };
}

function firstBar(columns: readonly Column[], from: number): ChartBar | null {
  for (let at = from; at < columns.length; at += 1) {
    const column = columns[at]!;
    if (column.kind === 'bar') return column;
  }
  return null;
}
