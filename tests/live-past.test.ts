/**
 * Days before the start, fetched from a venue's pages behind the running stream: a local server has traded for two days,
 * the service is killed while it fetches, and the tape has every trade since the time that was asked for.
 */

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import { dayOf, epochNs } from '@tapeloom/core/utc-day';
import { applyInstruments } from '@tapeloom/server/markets/instruments/applied-instruments';
import { onGrid } from '@tapeloom/server/markets/live/on-grid';
import { NodeDisk } from '@tapeloom/server/platform/disk/node-disk';
import { createClock } from '@tapeloom/server/platform/system-clock';
import { openTape } from '@tapeloom/server/tape/write/open-tape';
import { okxDialect } from '../packages/server/testing/live/dialects/okx-dialect.ts';
import { SimVenue } from '../packages/server/testing/live/sim-venue.ts';
import { VenueServer } from '../packages/server/testing/live/venue-server.ts';
import { tapeRows } from '../packages/server/testing/tape/tape-on-sim-disk.ts';
import { seededRandom } from '../simulation/clock/seeded-random.ts';
import { killServices, RunningService, WAIT_LIMIT_MS } from './running-service.ts';

const HOUR_MS = 3_600_000;
const HOURS = 50;
const TRADE_EVERY_MS = 60_000;
const MS_NS = 1_000_000n;
const directory = mkdtempSync(join(tmpdir(), 'tapeloom-past-'));
const data = join(directory, 'data');
const disk = new NodeDisk();
const { venueSymbol, tick, lot } = okxDialect.contracts[0]!;
const symbol = `${venueSymbol}.okx`;

after(() => {
  killServices();
  rmSync(directory, { recursive: true, force: true });
});

async function venueServer(): Promise<VenueServer> {
  const venue = new SimVenue(seededRandom(34), [venueSymbol], { dialect: okxDialect });
  const now = Date.now();
  for (let ms = now - (HOURS + 2) * HOUR_MS; ms < now; ms += TRADE_EVERY_MS) {
    venue.trade(ms, TRADE_EVERY_MS, 1);
  }
  return await VenueServer.start({ dialect: okxDialect, venue });
}

function instruments({ addresses }: VenueServer): string {
  const product = { extends: 'crypto-perpetual', name: venueSymbol, venueSymbol, tick, lot };
  const live = { feed: 'okx', addresses, backfillHours: HOURS };
  return JSON.stringify({ datasets: { OKX: { live, products: { [symbol]: product } } } });
}

/** Resolves with the lines of `/metrics` when one matches. */
async function metricsWith(service: RunningService, line: RegExp): Promise<string> {
  const deadline = performance.now() + WAIT_LIMIT_MS;
  for (;;) {
    const text = await (await fetch(service.address('metrics'))).text();
    if (line.test(text)) return text;
    assert.ok(performance.now() < deadline, `${line}\n${text}\n${service.faults}`);
    await pause(50);
  }
}

test('past days of a venue come behind the running stream, also after a kill', async () => {
  await using server = await venueServer();
  const startMs = Date.now();
  const now = createClock({ kind: 'system' }).now();
  await applyInstruments(disk, data, instruments(server), { now, beside: null });
  const first = new RunningService({ data });
  await first.ready();
  await metricsWith(first, /^tapeloom_feed_lag_seconds{dataset="OKX"} [0-4](\.\d+)?$/m);
  const live = await metricsWith(first, /^tapeloom_fill_days_wanted [1-9]/m);
  assert.match(live, /^tapeloom_fill_days [01]$/m);
  await first.stop('SIGKILL');

  const service = new RunningService({ data });
  await service.ready();
  const oldest = dayOf((BigInt(startMs - HOURS * HOUR_MS) * MS_NS) as EpochNs);
  // The newest day comes first.
  await dayIsThere(service, oldest);
  assert.equal((await service.stop('SIGTERM')).code, 0, service.errors);

  await using tape = await openTape({
    ...{ disk, tapeRoot: `${data}/tape`, dataset: 'OKX', listed: () => [] },
    now: () => createClock({ kind: 'system' }).now() as EpochNs,
    onFailure: (error) => {
      throw error;
    },
  });
  const rows = await tapeRows(tape.tape, symbol);
  const made = server.venue.trades
    .get(venueSymbol)!
    .filter(({ ms }) => ms >= startMs - HOURS * HOUR_MS)
    .map(({ ms, price, size, isBuy }) => {
      const ts = (BigInt(ms) * MS_NS) as EpochNs;
      const day = dayOf(ts);
      const ns = Number(ts - epochNs(day, 0));
      const grid = (text: string, unit: string) => onGrid(text, onGrid(unit, 1));
      return [day, ns, grid(price, tick), grid(size, lot), isBuy ? 1 : -1];
    });
  const found = rows.map(([day, , ns, price, size, side]) => [day, ns, price, size, side]);
  // The time of the start is not exactly ours, and the last trades were on their way at the stop.
  const begin = made.findIndex((row) => JSON.stringify(row) === JSON.stringify(found[0]));
  assert.ok(begin >= 0 && begin < 3, `${begin}`);
  assert.deepEqual(found, made.slice(begin, begin + found.length));
  assert.ok(found.length > made.length - 100, `${found.length} of ${made.length}`);
  const [partial, ...whole] = await tape.tape.days(symbol);
  assert.deepEqual([partial!.day, partial!.state], [oldest, 'partial']);
  assert.deepEqual(partial!.gaps, [[0, partial!.gaps![0]![1]]]);
  assert.ok(whole.length >= 2);
  for (const { gaps = [] } of whole) assert.deepEqual(gaps, []);
});

async function dayIsThere(service: RunningService, day: UtcDay): Promise<void> {
  const deadline = performance.now() + WAIT_LIMIT_MS;
  const path = `${data}/tape/OKX/days/${symbol}/${day}.json`;
  while ((await disk.stat(path)) === null) {
    assert.ok(performance.now() < deadline, service.faults);
    await pause(50);
  }
}
