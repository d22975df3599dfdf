/**
 * A chart's feed against a whole service in one process: what a chart holds after snapshot, scrolling, cuts and sessions
 * must be what history alone says.
 */

import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { type Instrument, TapeloomClient, type WebSocketConstructor } from '@tapeloom/client';
import { addDays, epochNs } from '@tapeloom/core/utc-day';
import { HurriedClock } from '../../../../simulation/clock/client-clock.ts';
import { StandingClock } from '../../../client/testing/stream-stage.ts';
import { TAPE_START, WholeService } from '../../../server/testing/rest/whole-service.ts';
import { DAY } from '../../../server/testing/stream/in-process-stream.ts';
import { type BarObject, BarSeries } from '../series/bar-series.ts';
import { ChartContent } from '../series/chart-content.ts';
import { type ChartSpec, DEFAULT_CHART } from '../spec/chart-spec.ts';
import { ChartFeed } from './chart-feed.ts';
import { HistoryBudget } from './history-budget.ts';
import { PlanRoom } from './plan-room.ts';
import { Replay } from './replay.ts';
import type { FeedSources, SessionsAnswer } from './sources.ts';

const HOUR_NS = 3_600_000_000_000;
const HOUR_MS = 3_600_000;

const SPEC: ChartSpec = {
  ...DEFAULT_CHART,
  instrument: 'A.c.0',
  bar: { kind: 'tick', size: 3, session: 'full' },
  layers: [],
  panes: [],
  side: 'none',
};

/** The rig lists none. */
const INSTRUMENT: Instrument = {
  ...{ symbol: 'AA', alias: 'A.c.0', tickSizeNanos: 250_000_000, status: 'open', updatedAt: '0' },
  ...{ dataset: 'sim', name: 'Contract AA', exchange: 'SIM', currency: 'USD', calendar: 'sim' },
  ...{ lotSizeNanos: 1_000_000_000, pointValueNanos: 50_000_000_000, expiresAt: '0' },
  streamed: true,
  history: {
    ...{ firstDay: '2026-11-12', lastDay: '2026-11-14', missingDays: [], missingDaysTotal: 0 },
  },
  aliases: [],
};

let service: WholeService;
let key: string;
let price = 100;
let sockets: WebSocket[] = [];
let client: TapeloomClient;
let feed: ChartFeed;
let clock: StandingClock;

async function trades(count: number): Promise<void> {
  for (let left = count; left > 0; left -= 1) {
    price += [1, -1, 2, -2, 0, 1, -1][left % 7]!;
    await service.trade(1_000, { price, size: 1 + (left % 7), side: left % 2 === 0 ? 1 : -1 });
  }
}

function sources(): FeedSources {
  return {
    subscribe: (request) => client.subscribe(request),
    history: (request) => client.history(request),
    estimate: (request) => client.estimate(request),
    usage: () => client.usage(),
    instruments: () => Promise.resolve([INSTRUMENT]),
    sessions: ({ instrument }) => Promise.resolve(sessions(instrument)),
    get connection() {
      return client.connection;
    },
    on: (kind, hear) => client.on(kind, hear),
  };
}

function sessions(instrument: string): SessionsAnswer {
  const days = [-2, -1, 0, 1, 2].map((offset) => addDays(DAY, offset));
  return {
    ...{ instrument, contract: 'AA', timeZone: 'UTC' },
    sessions: days.map((date) => ({
      date,
      open: String(epochNs(date, 10 * HOUR_NS)),
      close: String(epochNs(date, 20 * HOUR_NS)),
      regular: null,
    })),
  };
}

async function opened(spec: ChartSpec): Promise<ChartFeed> {
  const { plan, limits } = await client.usage();
  const store = { get: () => null, set: () => {} };
  const wallMs = () => Number(service.rest.clock.now() / 1_000_000n);
  const unitsPerMonth = limits.computeBudget;
  feed = new ChartFeed({
    ...{ key: 'a', sources: sources(), content: new ChartContent(), spec, clock },
    budget: new HistoryBudget({ unitsPerMonth, store, wallMs }),
    limits: new PlanRoom(plan, limits),
  });
  feed.open();
  await until(() => feed.content.instrument !== null && feed.content.edge.t !== 'loading');
  return feed;
}

async function until(isSo: () => boolean): Promise<void> {
  for (let turns = 0; !isSo(); turns += 1) {
    if (turns > 20_000) throw new Error(`not within 20,000 turns: ${isSo}`);
    await turn();
  }
}

/** Scrolls to the very start. */
async function loadAll(): Promise<void> {
  while (feed.hem === null) {
    clock.pass(2_000);
    feed.loadBack();
    await until(() => feed.content.edge.t !== 'loading');
  }
}

/** The same bars by history alone, the one that forms included. */
async function byHistory({ bar }: ChartSpec): Promise<readonly unknown[]> {
  const params = { bar: bar.kind, size: bar.size };
  const entries = await client
    .history({ indicator: 'footprint', instrument: 'A.c.0', params, from: TAPE_START, limit: 50 })
    .toArray();
  const series = new BarSeries();
  series.putAll(entries.flatMap((it) => (it.t === 'upsert' ? [it.object as BarObject] : [])));
  return series.columns;
}

async function assertSameAsHistory(): Promise<void> {
  // What the stream has not published yet is published at a whole second.
  await service.jump(2_000);
  const wanted = await byHistory(SPEC);
  await until(() => feed.content.bars.columns.length >= wanted.length);
  for (let turns = 0; turns < 300; turns += 1) await turn();
  assert.equal(textOf(feed.content.bars.columns), textOf(wanted));
}

function textOf(columns: readonly unknown[]): string {
  const plain = (_: string, value: unknown) => {
    if (typeof value === 'bigint') return String(value);
    return value instanceof Float64Array ? [...value].join(' ') : value;
  };
  return columns.map((column) => JSON.stringify(column, plain)).join('\n');
}

describe('a chart of a real service', () => {
  before(async () => {
    service = await WholeService.start();
    key = await service.rest.customer('live_history');
    await trades(40);
    // To the next session.
    await service.jump(24 * HOUR_MS);
    await trades(40);
  });
  after(() => service[Symbol.asyncDispose]());

  beforeEach(() => {
    sockets = [];
    clock = new StandingClock();
    const Tracked = class extends WebSocket {
      constructor(...given: ConstructorParameters<typeof WebSocket>) {
        super(...given);
        sockets.push(this);
      }
    };
    client = new TapeloomClient({
      url: service.url,
      key,
      clock: new HurriedClock(2_000),
      WebSocket: Tracked as unknown as WebSocketConstructor,
      onWarning: () => {},
    });
  });
  afterEach(async () => {
    feed.close();
    await client.close();
  });

  test('snapshot, scrolling back to the start and the live stream are the series that history has', async () => {
    await opened(SPEC);
    const before = feed.content.bars.columns.length;
    assert.ok(before > 10 && before < 20, `${before} bars of the session`);
    await trades(10);
    await loadAll();
    assert.equal(feed.hem!.why, 'start');
    assert.match(feed.hem!.text, /^The history of AA begins on 12 November\.$/);
    await trades(10);
    await assertSameAsHistory();
  });

  test('a cut in the middle of a bar leaves no hole and no double', async () => {
    await opened(SPEC);
    await loadAll();
    await trades(4);
    for (const socket of sockets) socket.close();
    await trades(11);
    await until(() => client.connection === 'open');
    await trades(2);
    await assertSameAsHistory();
  });

  /** The first session, which is over. */
  const PAST = {
    ...{ date: DAY as number, regular: null },
    openNs: epochNs(DAY, 10 * HOUR_NS) as bigint,
    closeNs: epochNs(DAY, 20 * HOUR_NS) as bigint,
  };
  const REPLAYED: ChartSpec = {
    ...SPEC,
    layers: [
      {
        key: 'z',
        indicator: 'imbalances',
        params: { minVolume: 1, stack: 1, ratio: 1 },
        isHidden: false,
      },
      { key: 'v', indicator: 'vwap', params: {}, isHidden: false },
    ],
  };

  async function replayed(): Promise<{ replay: Replay; content: ChartContent }> {
    const content = new ChartContent();
    const store = { get: () => null, set: () => {} };
    const { limits } = await client.usage();
    const wallMs = () => Number(service.rest.clock.now() / 1_000_000n);
    const budget = new HistoryBudget({ unitsPerMonth: limits.computeBudget, store, wallMs });
    const charts = [{ spec: REPLAYED, content }];
    const replay = new Replay({ sources: sources(), charts, session: PAST, clock, budget });
    await replay.load();
    assert.deepEqual(replay.state, { t: 'paused' });
    return { replay, content };
  }

  test('a replay goes through every version that the stream had, byte for byte, and ends where history does', async () => {
    await opened(SPEC);
    const { replay, content } = await replayed();
    const params = { bar: 'tick', size: 3 } as const;
    const range = { instrument: 'A.c.0', from: PAST.openNs, to: PAST.closeNs, params };
    const published = await client
      .history({ indicator: 'footprint', ...range, snapshot: true })
      .toArray();
    let steps = 0;
    for (const entry of published) {
      if (entry.t !== 'upsert') continue;
      steps += 1;
      replay.step('trade');
      const series = new BarSeries();
      series.put(entry.object);
      const shown = content.bars.get(entry.object.id)!;
      // A trade that ends a bar by another update is one step.
      if (entry.object.final || !shown.isFinal) assert.deepEqual(shown, series.columns[0]);
    }
    assert.ok(steps > 30, String(steps));
    replay.seek(PAST.closeNs);
    assert.equal(replay.state.t, 'over');
    const settled = await client.history({ indicator: 'footprint', ...range }).toArray();
    const series = new BarSeries();
    series.putAll(settled.flatMap((it) => (it.t === 'upsert' ? [it.object] : [])));
    assert.equal(textOf(content.bars.columns), textOf(series.columns));
    replay.close();
  });

  test('in a replay too, what is summed here equals what the service has', async () => {
    await opened(SPEC);
    const { replay, content } = await replayed();
    replay.seek(PAST.closeNs);
    const params = { bar: 'tick', size: 3 } as const;
    const range = { instrument: 'A.c.0', from: PAST.openNs, to: PAST.closeNs, params };
    const vwap = await client
      .history({ indicator: 'vwap', ...range })
      .finals()
      .toArray();
    const sums = replay.sumsOf(0)!.vwap.all.map(({ removedNs: _, ...object }) => object);
    assert.deepEqual(sums, vwap);
    assert.ok(content.layers.get('v')!.isSummedHere);
    const zones = await client
      .history({
        indicator: 'imbalances',
        ...range,
        params: { ...params, ...REPLAYED.layers[0]!.params },
      })
      .toArray();
    const shown = content.layers.get('z')!.objects.all;
    const removed = zones.flatMap((it) => (it.t === 'remove' ? [it.id] : []));
    assert.deepEqual(
      shown
        .filter(({ removedNs }) => removedNs !== null)
        .map(({ id }) => id)
        .sort(),
      removed.sort(),
    );
    assert.ok(shown.length > 0);
    replay.close();
  });

  test('layers of a chart: removed levels are there with their ends, and the VWAP is summed', async () => {
    const { content } = await opened(REPLAYED);
    await loadAll();
    const params = { bar: 'tick', size: 3, ...REPLAYED.layers[0]!.params } as const;
    const zones = await client
      .history({ indicator: 'imbalances', instrument: 'A.c.0', from: TAPE_START, params })
      .toArray();
    const { all } = content.layers.get('z')!.objects;
    const made = zones.flatMap((it) => (it.t === 'upsert' ? [it.object.id] : []));
    const ended = zones.flatMap((it) => (it.t === 'remove' ? [`${it.id} ${it.ts}`] : []));
    assert.deepEqual(all.map(({ id }) => id).sort(), made.sort());
    assert.deepEqual(
      all.flatMap(({ id, removedNs }) => (removedNs === null ? [] : [`${id} ${removedNs}`])).sort(),
      ended.sort(),
    );
    assert.ok(content.layers.get('v')!.isSummedHere && ended.length > 0);
  });
});
