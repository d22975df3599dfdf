/** The range that a file claims: DBN in its metadata, archives of some vendors in their names. */

import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import { addDays, epochNs, isUtcDay } from '@tapeloom/core/utc-day';
import type { CsvPresetName } from './csv/csv-guess.ts';
import type { DbnMetadata } from './dbn/dbn-metadata.ts';

export interface SaidRange {
  /** Inclusive start, exclusive end. */
  readonly from: EpochNs;
  readonly to: EpochNs;
  /** The range is by time of capture: a trade just before an edge may be in the next file. */
  readonly isByCapture: boolean;
  /** Null: all instruments of the file. */
  readonly names: readonly SaidName[] | null;
}

/** A name of an instrument on some days; `toDay` is exclusive. */
export interface SaidName {
  readonly name: string;
  readonly fromDay: UtcDay;
  readonly toDay: UtcDay;
}

/** `BTCUSDT-trades-2026-03-10.csv`, `BTCUSDT-aggTrades-2026-03.csv` */
const BINANCE = /-(?:trades|aggTrades)-(\d{4})-(\d{2})(?:-(\d{2}))?\.csv$/;
/** `binance-futures_trades_2026-03-10_BTCUSDT.csv` */
const TARDIS = /_trades_(\d{4})-(\d{2})-(\d{2})_[^/]*\.csv$/;

/**
 * Null for a file without an end, such as a capture, or with a limit that may have truncated it. If the file was
 * ordered by names that are not the venue's (`ES.c.0`), `symbolOf` returns the symbol of an id on a day, or null.
 */
export function dbnRange(
  { start, end, limit, mappings }: DbnMetadata,
  symbolOf: (id: number, day: UtcDay) => string | null,
): SaidRange | null {
  if (end === null || limit !== null || start >= end) return null;
  const names: SaidName[] = [];
  const [isIdOut, isVenueSymbol] = [mappings.isIdOut(), mappings.isVenueSymbol()];
  for (const { name, intervals } of mappings) {
    for (const { fromDay, toDay, output } of intervals) {
      if (output === '' || !isUtcDay(fromDay) || !isUtcDay(toDay)) continue;
      const [id, told] = isIdOut ? [output, name] : [name, output];
      const symbol = isVenueSymbol ? told : symbolOf(Number(id), fromDay);
      if (symbol !== null) names.push({ name: symbol, fromDay, toDay });
    }
  }
  return { from: start as EpochNs, to: end as EpochNs, isByCapture: true, names };
}

/** From the file name of vendors whose archives cover a day or a month each. */
export function archiveRange(preset: CsvPresetName | null, fileName: string): SaidRange | null {
  const form =
    preset === 'tardis' ? TARDIS : preset?.startsWith('binance') === true ? BINANCE : null;
  const match = form?.exec(fileName);
  if (match === null || match === undefined) return null;
  const [, year, month, date = '01'] = match;
  const first = Number(`${year}${month}${date}`);
  if (!isUtcDay(first)) return null;
  const isMonth = match[3] === undefined;
  const end = isMonth ? firstOfNextMonth(Number(year), Number(month)) : addDays(first, 1);
  return {
    from: epochNs(first, 0),
    to: epochNs(end, 0),
    isByCapture: preset === 'tardis',
    names: null,
  };
}

function firstOfNextMonth(year: number, month: number): UtcDay {
  const day = month === 12 ? (year + 1) * 10_000 + 101 : year * 10_000 + (month + 1) * 100 + 1;
  return day as UtcDay;
}
