/** Calendars of contracts, from the instruments applied to a data directory. */

import { readAppliedInstruments } from '@tapeloom/server/markets/instruments/applied-instruments';
import type { Disk } from '@tapeloom/server/platform/disk/disk';
import type { CalendarOf } from '@tapeloom/server/tape/inspect/list-tape';

/** Contracts of live markets are not included. */
export async function appliedCalendars(disk: Disk, data: string): Promise<CalendarOf> {
  const applied = await readAppliedInstruments(disk, data);
  const calendars = new Map(
    (applied?.datasets ?? []).flatMap(({ name, contracts }) =>
      contracts.map(({ contract }) => [`${name}/${contract.symbol}`, contract.calendar] as const),
    ),
  );
  return (dataset, symbol) => calendars.get(`${dataset}/${symbol}`) ?? null;
}
