/** A customer's dataset, imported by the command into a service that runs now or later. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { importCommand } from '@tapeloom/cli/commands/import';
import type { UtcDay } from '@tapeloom/core/numbers';
import { MS_NS_BIG } from '@tapeloom/core/units';
import { addDays, dayOf, epochNs } from '@tapeloom/core/utc-day';
import { applyInstruments } from '@tapeloom/server/markets/instruments/applied-instruments';
import { NodeDisk } from '@tapeloom/server/platform/disk/node-disk';
import { createClock } from '@tapeloom/server/platform/system-clock';
import { RecordedIo } from '../packages/cli/testing/recorded-io.ts';
import { databentoText, type PlainTrade } from '../packages/server/testing/feeds/csv-texts.ts';

const now = createClock({ kind: 'system' }).now();
export const ago = (days: number) => addDays(dayOf(now), -days);
export const timeText = (day: UtcDay, ns = 0) =>
  new Date(Number(epochNs(day, ns) / MS_NS_BIG)).toISOString();
export const dateText = (day: UtcDay) => timeText(day).slice(0, 10);

/** `calendar`: a template's calendar, or `over-midnight`, whose sessions cross midnight. */
export const ownInstruments = ({ calendar = 'round-the-clock', isPushed = false }) => `datasets:
  OURS:
    ${isPushed ? 'live: { source: push }' : ''}
    calendars:
      over-midnight:
        zone: UTC
        hours:
          - { weekdays: mon-fri, open: "22:00", close: "21:00" }
    products:
      QQ:
        name: An index of our own
        exchange: OURS
        currency: EUR
        tick: "0.5"
        lot: "1"
        pointValue: "10"
        calendar: ${calendar}
        contracts:
          - { symbol: QQB, expiry: ${timeText(ago(-60))} }
`;

export class ImportedRig implements Disposable {
  readonly directory = mkdtempSync(join(tmpdir(), 'tapeloom-rig-'));
  readonly data: string;

  private constructor(data: string) {
    this.data = join(this.directory, data);
  }

  static async make(calendar: string, data = 'data'): Promise<ImportedRig> {
    const rig = new ImportedRig(data);
    const { length } = await applyInstruments(
      new NodeDisk(),
      rig.data,
      ownInstruments({ calendar }),
      {
        now,
        beside: null,
      },
    );
    if (length === 0) throw new Error('no instruments were applied');
    return rig;
  }

  /** Imports a file of trades that covers the days from first to last. */
  async import(
    trades: readonly PlainTrade[],
    [first, last]: readonly [UtcDay, UtcDay],
    ...words: readonly string[]
  ): Promise<void> {
    const path = join(this.directory, 'trades.csv');
    writeFileSync(path, databentoText(trades, { isPretty: true }));
    const covers = `${dateText(first)}..${dateText(addDays(last, 1))}`;
    const io = new RecordedIo();
    const all = [path, '--covers', covers, '--data', this.data, ...words];
    const code = await importCommand.run(all, io);
    if (code !== 0) throw new Error(io.err);
  }

  [Symbol.dispose](): void {
    rmSync(this.directory, { recursive: true, force: true });
  }
}

/** Trades spread evenly over the days from first to last. */
export function tradesOver(
  [first, last]: readonly [UtcDay, UtcDay],
  aDay: number,
  price: (index: number) => string,
): readonly PlainTrade[] {
  const stepNs = BigInt(86_400_000_000_000 / aDay);
  const [from, to] = [epochNs(first, 0), epochNs(addDays(last, 1), 0)];
  const count = Number((to - from) / stepNs);
  return Array.from({ length: count }, (_, index) => ({
    symbol: 'QQB',
    ts: from + BigInt(index) * stepNs,
    price: price(index),
    size: '2',
    side: index % 2 === 0 ? 1 : -1,
  }));
}
