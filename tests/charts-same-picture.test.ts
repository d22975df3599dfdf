/**
 * One footprint, three ways: watched live, read from history, and played again. Each way fills a chart of its own, and
 * all charts show the same picture, batch by batch, against a whole service in one process.
 */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { ChartFeed } from '@tapeloom/charts/feed/chart-feed';
import { HistoryBudget } from '@tapeloom/charts/feed/history-budget';
import { PlanRoom } from '@tapeloom/charts/feed/plan-room';
import { Replay } from '@tapeloom/charts/feed/replay';
import type { FeedSources } from '@tapeloom/charts/feed/sources';
import { Numbers } from '@tapeloom/charts/scene/batch';
import { chartLayout } from '@tapeloom/charts/scene/chart-layout';
import { chartScene } from '@tapeloom/charts/scene/chart-scene';
import { timeTexts } from '@tapeloom/charts/scene/time-text';
import { fitted, openingWindow } from '@tapeloom/charts/scene/window';
import type { BarObject } from '@tapeloom/charts/series/bar-series';
import { ChartContent } from '@tapeloom/charts/series/chart-content';
import type { SessionSpan } from '@tapeloom/charts/series/sessions';
import { SessionSums } from '@tapeloom/charts/series/sums';
import { type ChartSpec, DEFAULT_CHART, LOOKS } from '@tapeloom/charts/spec/chart-spec';
import { type Instrument, TapeloomClient } from '@tapeloom/client';
import { addDays, epochNs } from '@tapeloom/core/utc-day';
import { StandingClock } from '../packages/client/testing/stream-stage.ts';
import { TAPE_START, WholeService } from '../packages/server/testing/rest/whole-service.ts';
import { DAY } from '../packages/server/testing/stream/in-process-stream.ts';
import { HurriedClock } from '../simulation/clock/client-clock.ts';

const HOUR_NS = 3_600_000_000_000;
const DAY_MS = 86_400_000;
const TRADES_BEFORE = 60;
const TRADES_WATCHED = 90;
/** Pixels of a bar, from candles to numbers. */
const WIDTHS = [8, 18, 30, 96];

const SPEC: ChartSpec = {
  ...DEFAULT_CHART,
  instrument: 'A.c.0',
  bar: { kind: 'time', size: 7, session: 'full' },
  rules: { ...DEFAULT_CHART.rules, minVolume: 2, ratio: 1.5 },
};

const SESSIONS: readonly SessionSpan[] = [-2, -1, 0, 1, 2].map((offset) => {
  const date = addDays(DAY, offset);
  const [openNs, closeNs] = [epochNs(date, 10 * HOUR_NS), epochNs(date, 20 * HOUR_NS)];
  return { date, openNs, closeNs, regular: null };
});
const SESSION = SESSIONS[2]!;

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
let client: TapeloomClient;
let price = 400;
let made = 0;

before(async () => {
  service = await WholeService.start();
  const key = await service.rest.customer('live_history');
  client = new TapeloomClient({ url: service.url, key, clock: new HurriedClock(2_000) });
});
after(async () => {
  await client.close();
  await service[Symbol.asyncDispose]();
});

test('the same footprint from the stream, from history and from a replay makes the same picture', async () => {
  await trades(TRADES_BEFORE);
  const feed = await opened();
  await trades(TRADES_WATCHED);
  // What the stream has not published yet is published at a whole second.
  await service.jump(2_000);
  const past = await byHistory();
  const { bars } = feed.content;
  await until(
    () => bars.last?.id === past.bars.last?.id && bars.last?.volume === past.bars.last?.volume,
  );
  assert.ok(bars.columns.length > 20, `${bars.columns.length} bars`);
  const live = picturesOf(feed.content, feed.sums);
  assertSame(picturesOf(past, summed(past)), live, 'history');
  const { tapeNs } = feed.content;
  feed.close();
  // The session is over when it is played.
  await service.jump(DAY_MS);
  const played = await byReplay(tapeNs!);
  assertSame(picturesOf(played.content, played.replay.sumsOf(0)), live, 'replay');
  played.replay.close();
});

async function opened(): Promise<ChartFeed> {
  const { plan, limits } = await client.usage();
  const feed = new ChartFeed({
    ...{ key: 'a', sources: sources(), content: new ChartContent(), spec: SPEC },
    clock: new StandingClock(),
    budget: budget(limits.computeBudget),
    limits: new PlanRoom(plan, limits),
  });
  feed.open();
  await until(() => feed.content.bars.columns.length > 0 && feed.content.edge.t !== 'loading');
  return feed;
}

async function byHistory(): Promise<ChartContent> {
  const { bar, rules } = SPEC;
  const params = { bar: bar.kind, size: bar.size, ratio: rules.ratio, minVolume: rules.minVolume };
  const entries = await client
    .history({ indicator: 'footprint', instrument: 'A.c.0', params, from: TAPE_START, limit: 10 })
    .toArray();
  const content = new ChartContent();
  content.bars.putAll(entries.flatMap((it) => (it.t === 'upsert' ? [it.object as BarObject] : [])));
  return content;
}

async function byReplay(
  ns: bigint,
): Promise<{ readonly content: ChartContent; readonly replay: Replay }> {
  const content = new ChartContent();
  const replay = new Replay({
    sources: sources(),
    charts: [{ spec: SPEC, content }],
    session: SESSION,
    clock: new StandingClock(),
    budget: budget((await client.usage()).limits.computeBudget),
  });
  await replay.load(true);
  replay.seek(ns);
  await until(() => replay.atNs >= ns && content.bars.columns.length > 0);
  return { content, replay };
}

/** What depends on the way and not on the footprint is the same for all. */
function picturesOf(content: ChartContent, sums: SessionSums | null): readonly unknown[] {
  content.instrument = {
    ...{ name: 'A.c.0', contract: 'AA', title: 'Contract AA' },
    ...{ tickSizeNanos: 250_000_000, timeZone: 'UTC' },
  };
  content.sessions = SESSIONS;
  content.edge = { t: 'more' };
  content.live = 'live';
  assert.ok(sums !== null && sums.vwap.size > 20, 'nothing was summed');
  const size = { width: 1_440, height: 900 };
  return WIDTHS.flatMap((columnWidth) =>
    LOOKS.map((look) => {
      const spec = { ...SPEC, look };
      const layout = chartLayout(size, spec, content, 1);
      const opening = openingWindow(content.bars.columns.length, columnWidth);
      const scene = chartScene({
        ...{ content, spec, size, sums, range: null, drawings: [], isStale: false },
        window: fitted(opening, layout, content, spec),
        timeText: timeTexts('utc', null),
        ...{ countdownText: null, textScale: 1, wantsMarks: true },
      });
      assert.ok(scene.marks.length > 30);
      return { look, columnWidth, batches: scene.batches.map(plain), marks: scene.marks };
    }),
  );
}

/** Without the unused ends of growing arrays. */
function plain(batch: object): object {
  return Object.fromEntries(
    Object.entries(batch).map(([name, value]) => [
      name,
      value instanceof Numbers ? value.toArray() : value,
    ]),
  );
}

function assertSame(found: readonly unknown[], live: readonly unknown[], way: string): void {
  for (const [at, picture] of found.entries()) {
    const { look, columnWidth } = picture as { look: string; columnWidth: number };
    assert.deepEqual(picture, live[at], `${way}: ${look} at ${columnWidth} px`);
  }
}

function summed(content: ChartContent): SessionSums {
  const sums = new SessionSums({ bar: SPEC.bar });
  const fromNs = content.bars.columns[0]!.fromNs;
  sums.update(content.bars, SESSIONS, { fromNs, tapeNs: content.bars.last!.endNs });
  return sums;
}

function sources(): FeedSources {
  return {
    subscribe: (request) => client.subscribe(request),
    history: (request) => client.history(request),
    estimate: (request) => client.estimate(request),
    usage: () => client.usage(),
    instruments: () => Promise.resolve([INSTRUMENT]),
    sessions: ({ instrument }) =>
      Promise.resolve({
        ...{ instrument, contract: 'AA', timeZone: 'UTC' },
        sessions: SESSIONS.map(({ date, openNs, closeNs }) => {
          return { date, open: `${openNs}`, close: `${closeNs}`, regular: null };
        }),
      }),
    get connection() {
      return client.connection;
    },
    on: (kind, hear) => client.on(kind, hear),
  };
}

function budget(unitsPerMonth: number): HistoryBudget {
  return new HistoryBudget({
    ...{ unitsPerMonth, store: { get: () => null, set: () => {} } },
    wallMs: () => Number(service.rest.clock.now() / 1_000_000n),
  });
}

async function trades(count: number): Promise<void> {
  for (let left = count; left > 0; left -= 1) {
    made += 1;
    price += [1, -1, 2, -2, 0, 1, -1, 3, -2][made % 9]!;
    const side = made % 11 === 0 ? 0 : made % 3 === 0 ? 1 : -1;
    await service.trade(700 + (made % 5) * 130, { price, size: 1 + (made % 7), side });
  }
}

async function until(isSo: () => boolean): Promise<void> {
  for (let turns = 0; !isSo(); turns += 1) {
    if (turns > 20_000) throw new Error(`not within 20,000 turns: ${isSo}`);
    await turn();
  }
}
