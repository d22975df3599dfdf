import assert from 'node:assert/strict';
import { test } from 'node:test';
import { extendSessionBook, joinSessionBooks } from '@tapeloom/core/calendar/session-book';
import type { EpochNs } from '@tapeloom/core/numbers';
import { epochNs, utcDay } from '@tapeloom/core/utc-day';
import { FilesMarket } from '../../markets/files-market.ts';
import { readInstruments } from '../../markets/instruments/read-instruments.ts';
import { TradingWorld } from './trading-world.ts';

const product = (root: string) =>
  `{ extends: ES, symbol: "${root}{M}{Y}", contracts: { from: 2026-09, to: 2027-03 } }`;
const FILE = `datasets:
  ONE:
    products: { A: ${product('A')} }
    aliases: { A.1: { product: A, roll: [{ from: 2026-06-01, symbol: AU6 }, { from: 2026-09-10, symbol: AZ6 }] } }
  TWO:
    products: { B: ${product('B')} }
    aliases: { B.1: { product: B, roll: [{ from: 2026-06-01, symbol: BU6 }, { from: 2026-09-10, symbol: BZ6 }] } }
`;

test('the contracts of a dataset roll and expire with the days of its own tape', () => {
  const { datasets } = readInstruments(FILE);
  const world = new TradingWorld({
    markets: datasets.map((listed) => new FilesMarket(listed, new Map(), new Map())),
    day: utcDay(20260909),
    timeOf: (dataset) => (dataset === 'ONE' ? 'ONE' : 'STILL'),
    books: [],
  });
  assert.deepEqual(
    ['A.1', 'AU6', 'B.1', 'BU6', 'NOBODY'].map((name) => world.timeOf(name)),
    ['ONE', 'ONE', 'STILL', 'STILL', 'STILL'],
  );
  world.enter('ONE', utcDay(20260920));
  assert.deepEqual([world.isStreamed('AU6'), world.isStreamed('BU6')], [false, true]);
  world.enter('STILL', utcDay(20260920));
  assert.equal(world.isStreamed('BU6'), false);
});

const MOVED = `datasets:
  OWN:
    calendars:
      moved:
        hours:
          - { weekdays: mon-fri, open: "08:00", close: "16:00", zone: Europe/London, to: 2026-09-30 }
          - { weekdays: mon-fri, open: "09:00", close: "17:30", zone: Europe/Berlin, from: 2026-10-01 }
    products: { A: { extends: ES, calendar: moved, symbol: "A{M}{Y}", contracts: { from: 2026-09, to: 2027-03 } } }
`;

test('the zone of a contract is that of its own calendar on the date, and its sessions are joined with those of imports', () => {
  const [listed] = readInstruments(MOVED).datasets;
  const market = new FilesMarket(listed!, new Map(), new Map());
  const calendar = market.calendar('moved');
  const now = epochNs(utcDay(20260909), 0);
  const book = (from: number, to: number) =>
    extendSessionBook(null, calendar, utcDay(from), utcDay(to), now);
  const joined = joinSessionBooks(book(20260901, 20261010), book(20260801, 20260831));
  const world = new TradingWorld({
    markets: [market],
    day: utcDay(20260909),
    timeOf: () => 'OWN',
    books: [{ dataset: 'OWN', book: joined }],
  });
  const zones = [20260801, 20260930, 20261001, 20301001].map((date) =>
    world.timeZoneOf('AZ6', utcDay(date)),
  );
  assert.deepEqual(zones, ['Europe/London', 'Europe/London', 'Europe/Berlin', 'Europe/Berlin']);
  const first = world.fullSessions('AZ6').atOrAfter(0n as EpochNs);
  assert.deepEqual([first?.date, first?.open], [20260803, epochNs(utcDay(20260803), 7 * 3.6e12)]);
});
