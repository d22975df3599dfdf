/**
 * Trades of all venues through one service, from local servers that speak their protocols over real sockets. Connections
 * are cut, the service is killed, the venues are gone for a while: each tape has what its venue traded, once and in order.
 */

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { EpochNs } from '@tapeloom/core/numbers';
import { dayOf, epochNs } from '@tapeloom/core/utc-day';
import { applyInstruments } from '@tapeloom/server/markets/instruments/applied-instruments';
import { onGrid } from '@tapeloom/server/markets/live/on-grid';
import { venueNamed } from '@tapeloom/server/markets/live/venues';
import { NodeDisk } from '@tapeloom/server/platform/disk/node-disk';
import { createClock } from '@tapeloom/server/platform/system-clock';
import { type OpenTape, openTape } from '@tapeloom/server/tape/write/open-tape';
import type { Dialect, SimTrade } from '../packages/server/testing/live/dialect.ts';
import { ALL_DIALECTS } from '../packages/server/testing/live/dialects/all-dialects.ts';
import { DATABENTO_KEY } from '../packages/server/testing/live/dialects/databento-dialect.ts';
import { VenueServer } from '../packages/server/testing/live/venue-server.ts';
import { tapeRows } from '../packages/server/testing/tape/tape-on-sim-disk.ts';
import { killServices, RunningService, WAIT_LIMIT_MS } from './running-service.ts';

const directory = mkdtempSync(join(tmpdir(), 'tapeloom-venues-'));
const data = join(directory, 'data');
const keyFile = join(directory, 'key');
const disk = new NodeDisk();
const ON_THEIR_WAY = 200;
/** A machine that is busy with other tests stalls the venues: no trade may be late because of it. */
const GRACE_MS = 20_000;
const LAG_SECONDS_MAX = 23;

interface Feed {
  readonly name: string;
  readonly dialect: Dialect;
  server: VenueServer;
}

after(() => {
  killServices();
  rmSync(directory, { recursive: true, force: true });
});

function instruments(feeds: readonly Feed[]): string {
  const datasets = feeds.map(({ name, dialect, server }) => {
    const products = dialect.contracts.map(({ venueSymbol, tick, lot }) => [
      `${venueSymbol}.${name}`,
      { extends: 'crypto-perpetual', name: venueSymbol, venueSymbol, tick, lot },
    ]);
    const live = {
      feed: name,
      addresses: server.addresses,
      graceMs: GRACE_MS,
      ...(venueNamed(name)!.needsKey && { keyFile }),
    };
    return [name.toUpperCase(), { live, products: Object.fromEntries(products) }];
  });
  return JSON.stringify({ datasets: Object.fromEntries(datasets) });
}

async function started(): Promise<RunningService> {
  const service = new RunningService({ data });
  await service.ready();
  return service;
}

async function readings(service: RunningService, metric: string): Promise<Map<string, number>> {
  const text = await (await fetch(service.address('metrics'))).text();
  const rows = text.matchAll(new RegExp(`^${metric}{[^}]*dataset="([^"]+)"[^}]*} (\\S+)$`, 'gm'));
  return new Map(rows.map(([, dataset, value]) => [dataset!, Number(value)]));
}

/** All watermarks are near. */
async function live(service: RunningService, feeds: readonly Feed[]): Promise<void> {
  const deadline = performance.now() + WAIT_LIMIT_MS;
  for (;;) {
    const states = await readings(service, 'tapeloom_feed_state');
    const lags = await readings(service, 'tapeloom_feed_lag_seconds');
    const isLive = ({ name }: Feed) =>
      states.get(name.toUpperCase()) === 0 && lags.get(name.toUpperCase())! < LAG_SECONDS_MAX;
    if (feeds.every(isLive)) return;
    const shown = JSON.stringify([[...states], [...lags]]);
    assert.ok(performance.now() < deadline, `not live: ${shown}\n${service.faults}`);
    await pause(50);
  }
}

async function leftTape(dataset: string): Promise<OpenTape> {
  const now = () => createClock({ kind: 'system' }).now() as EpochNs;
  const onFailure = (error: unknown) => {
    throw error;
  };
  return await openTape({
    ...{ disk, tapeRoot: `${data}/tape`, dataset, listed: () => [] },
    ...{ now, onFailure },
  });
}

test('what venues trade is on the tapes once and in order, whatever was cut, killed or gone', async (t) => {
  writeFileSync(keyFile, `${DATABENTO_KEY}\n`, { mode: 0o600 });
  const feeds: Feed[] = [];
  t.after(() => Promise.all(feeds.map(({ server }) => server[Symbol.asyncDispose]())));
  for (const [name, make] of Object.entries(ALL_DIALECTS)) {
    const dialect = make();
    feeds.push({ name, dialect, server: await VenueServer.start({ dialect }) });
  }
  const now = createClock({ kind: 'system' }).now();
  await applyInstruments(disk, data, instruments(feeds), { now, beside: null });
  let service = await started();
  await live(service, feeds);

  for (const { server } of feeds) server.venue.cut(Date.now());
  await pause(300);
  await live(service, feeds);

  await service.stop('SIGKILL');
  service = await started();
  await live(service, feeds);

  // The venues end, and come back at the same address with what they traded.
  for (const feed of feeds) {
    const { dialect, server } = feed;
    const { venue, ports } = server;
    await server[Symbol.asyncDispose]();
    feed.server = await VenueServer.start({ dialect, venue, ports });
  }
  const deadline = performance.now() + WAIT_LIMIT_MS;
  while (feeds.some(({ server }) => server.connections === 0)) {
    assert.ok(performance.now() < deadline, 'a venue was not found again');
    await pause(50);
  }
  // New trades, and the pages of those that were missed.
  await pause(2_000);
  await live(service, feeds);

  const shown = [
    await (await fetch(service.address('metrics'))).text(),
    await (await service.get('/v1/status')).text(),
  ];
  assert.equal((await service.stop('SIGTERM')).code, 0, service.errors);
  // The end of the key is sent to the gateway.
  const secret = DATABENTO_KEY.slice(-5);
  for (const text of [...shown, service.output, service.errors]) {
    assert.ok(!text.includes(secret), text.slice(0, 200));
  }

  for (const { name, dialect, server } of feeds) {
    await using tape = await leftTape(name.toUpperCase());
    for (const contract of dialect.contracts) {
      const { venueSymbol, tick, lot } = contract;
      const symbol = `${venueSymbol}.${name}`;
      const grid = { tick: onGrid(tick, 1), lot: onGrid(lot, 1) };
      const rows = await tapeRows(tape.tape, symbol);
      const made = server.venue.trades.get(venueSymbol)!.filter((one) => one.leftOut === undefined);
      assert.ok(rows.length > 40, `${symbol}: ${rows.length} of ${made.length}`);
      const found = rows.map(([day, , ns, price, size, side]) => [day, ns, price, size, side]);
      const expected = made.map((one) => rowOf(one, grid));
      // What was on its way at the stop is not on the tape.
      const last = JSON.stringify(found.at(-1));
      const end = expected.findLastIndex((row) => JSON.stringify(row) === last) + 1;
      assert.ok(end > made.length - ON_THEIR_WAY, `${symbol}: ${end} of ${made.length}`);
      const there = new Set(found.map((row) => JSON.stringify(row)));
      const begin = expected.findIndex((row) => there.has(JSON.stringify(row)));
      const missing = expected.slice(begin, end).filter((row) => !there.has(JSON.stringify(row)));
      const gaps = JSON.stringify((await tape.tape.days(symbol)).map((one) => one.gaps));
      const what = `${symbol}: ${missing.length} of ${end - begin} missing, gaps ${gaps}`;
      assert.deepEqual([missing.at(0), missing.at(-1)], [undefined, undefined], what);
      assert.deepEqual(found, expected.slice(begin, end), symbol);
    }
  }
});

function rowOf(
  { ms, price, size, isBuy }: SimTrade,
  { tick, lot }: { readonly tick: number; readonly lot: number },
) {
  const ts = (BigInt(ms) * 1_000_000n) as EpochNs;
  const day = dayOf(ts);
  return [
    day,
    Number(ts - epochNs(day, 0)),
    onGrid(price, tick),
    onGrid(size, lot),
    isBuy ? 1 : -1,
  ];
}
