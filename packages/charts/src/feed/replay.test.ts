/** A past session played again, on a service and a clock that the test moves. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { TapeloomError } from '@tapeloom/client/stream';
import fc from 'fast-check';
import {
  ALIAS,
  FakeService,
  type FakeServiceOptions,
  START_NS,
} from '../../testing/fake-service.ts';
import { sessionClose } from '../../testing/fake-tape.ts';
import { columnsText, STAGE_SPEC } from '../../testing/feed-stage.ts';
import { type BarObject, BarSeries } from '../series/bar-series.ts';
import { ChartContent } from '../series/chart-content.ts';
import type { ChartSpec } from '../spec/chart-spec.ts';
import { HistoryBudget } from './history-budget.ts';
import { Replay } from './replay.ts';

const SESSION = {
  date: 20261117,
  openNs: START_NS,
  closeNs: sessionClose(START_NS),
  regular: null,
};
const LAYER = {
  key: 'u',
  indicator: 'unfinished-auctions',
  params: { bar: 'volume' },
  isHidden: false,
};
const SECOND = 1_000_000_000n;
const at = (seconds: number) => START_NS + BigInt(Math.round(seconds * 1_000)) * 1_000_000n;

class Stage {
  readonly service: FakeService;
  readonly contents: ChartContent[];
  readonly specs: readonly ChartSpec[];
  readonly replay: Replay;
  readonly budget: HistoryBudget;
  changes = 0;

  constructor(
    specs: readonly Partial<ChartSpec>[],
    options: FakeServiceOptions & { readonly trades?: number } = {},
  ) {
    const service = new FakeService(options);
    this.service = service;
    let price = 100;
    for (let count = 0; count < (options.trades ?? 90); count += 1) {
      service.pass(1_000);
      price += [2, -1, -2, 1, 0][(count * 7) % 5]!;
      service.trade(price, 1 + (count % 4), count % 3 === 0 ? -1 : 1);
    }
    service.pass(48 * 3_600_000);
    this.specs = specs.map((spec) => ({ ...STAGE_SPEC, ...spec }));
    this.contents = specs.map(() => new ChartContent());
    this.budget = new HistoryBudget({
      unitsPerMonth: service.limits.computeBudget,
      store: { get: () => null, set: () => {} },
      wallMs: () => service.nowMs,
    });
    this.replay = new Replay({
      ...{ sources: service, session: SESSION, clock: service.clock, budget: this.budget },
      charts: this.specs.map((spec, index) => ({ spec, content: this.contents[index]! })),
    });
    this.replay.onChange(() => {
      this.changes += 1;
    });
  }

  async load(isPermitted = false): Promise<this> {
    await this.replay.load(isPermitted);
    await settle();
    return this;
  }

  /** Real time. */
  async pass(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= 50) {
      this.service.clock.pass(Math.min(50, left));
      await settle(1);
    }
    await settle();
  }

  get text(): string {
    return columnsText(this.contents[0]!.bars);
  }

  /** The bars as the stream had them after its updates up to the instant. */
  expected(ns: bigint, chart = 0): string {
    const series = new BarSeries();
    const { size } = this.specs[chart]!.bar;
    const topic = { indicator: 'footprint', params: { size } };
    for (const entry of this.service.logOf('ESZ6', topic)) {
      if (entry.ns <= ns) series.put(entry.object as BarObject);
    }
    return columnsText(series);
  }
}

async function settle(turns = 12): Promise<void> {
  for (let count = 0; count < turns; count += 1) await turn();
}

test('it begins at the open, paused, and plays to what history has', async () => {
  const stage = await new Stage([{}], { trades: 91 }).load();
  const { replay } = stage;
  assert.deepEqual([replay.state, replay.atNs, stage.text], [{ t: 'paused' }, START_NS, '']);
  assert.equal(stage.contents[0]!.live, 'replay');
  replay.speed = 100;
  replay.play();
  assert.deepEqual(replay.state, { t: 'playing' });
  await stage.pass(2_000);
  assert.deepEqual(replay.state.t, 'playing');
  stage.service.clock.pass(23 * 3_600 * 10);
  assert.deepEqual(replay.state.t, 'over');
  assert.equal(stage.text, stage.expected(SESSION.closeNs));
  const series = new BarSeries();
  for await (const { items } of stage.service
    .history({
      indicator: 'footprint',
      instrument: ALIAS,
      params: { size: 3 },
      from: START_NS,
      to: SESSION.closeNs,
    })
    .pages()) {
    series.putAll(items.flatMap((it) => (it.t === 'upsert' ? [it.object as BarObject] : [])));
  }
  assert.equal(stage.text, columnsText(series));
});

test('a play that is asked for while it loads begins once it is loaded', async () => {
  const stage = new Stage([{}], { trades: 91 });
  const loaded = stage.load();
  stage.replay.play();
  assert.notEqual(stage.replay.state.t, 'playing');
  await loaded;
  assert.deepEqual(stage.replay.state, { t: 'playing' });
});

test('at every speed the tape moves that much faster, and a pause stops it', async () => {
  const stage = await new Stage([{}]).load();
  const { replay } = stage;
  replay.play();
  await stage.pass(10_000);
  assert.equal(replay.atNs, at(10));
  assert.equal(stage.text, stage.expected(at(10)));
  replay.speed = 5;
  await stage.pass(4_000);
  assert.equal(replay.atNs, at(30));
  replay.pause();
  await stage.pass(60_000);
  assert.deepEqual([replay.state.t, replay.atNs], ['paused', at(30)]);
  assert.equal(stage.text, stage.expected(at(30)));
});

test('steps by trade, flush and bar, on and back', async () => {
  const stage = await new Stage([{}]).load();
  const { replay } = stage;
  replay.step('trade');
  assert.deepEqual([replay.atNs, stage.text], [at(1), stage.expected(at(1))]);
  replay.step('flush');
  assert.equal(replay.atNs, at(2));
  replay.step('bar');
  assert.equal(replay.atNs, at(3));
  assert.ok(stage.contents[0]!.bars.last!.isFinal);
  replay.step('bar');
  assert.equal(replay.atNs, at(6));
  replay.stepBack('trade');
  assert.deepEqual([replay.atNs, stage.text], [at(5), stage.expected(at(5))]);
  replay.stepBack('bar');
  assert.equal(replay.atNs, at(3));
  replay.stepBack('bar');
  assert.deepEqual([replay.atNs, stage.text], [START_NS, '']);
  replay.stepBack('flush');
  assert.equal(replay.atNs, START_NS);
});

test('wherever one seeks, forward or back, the charts show what the stream had shown then', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.double({ min: 0, max: 95, noNaN: true }), { minLength: 1, maxLength: 12 }),
      fc.constantFrom(1, 4, 1_000),
      async (places, pageMax) => {
        const stage = await new Stage(
          [{ layers: [LAYER] }, { bar: { kind: 'tick', size: 7, session: 'full' } }],
          { pageMax },
        ).load();
        const { replay } = stage;
        for (const seconds of places) {
          replay.seek(at(seconds));
          await settle();
          assert.equal(replay.atNs, at(seconds));
          assert.equal(stage.text, stage.expected(at(seconds)));
          assert.equal(columnsText(stage.contents[1]!.bars), stage.expected(at(seconds), 1));
          const log = stage.service.logOf('ESZ6', {
            indicator: 'unfinished-auctions',
            params: { size: 3 },
          });
          const wanted = log.filter(({ ns, t }) => ns <= at(seconds) && t === 'upsert').length;
          assert.equal(stage.contents[0]!.layers.get('u')!.objects.size, wanted);
        }
        replay.close();
      },
    ),
    { numRuns: 40 },
  );
});

test('sums are those of what is shown, and follow back too', async () => {
  const spec: Partial<ChartSpec> = { panes: ['cumulative-delta'], side: 'profile' };
  const stage = await new Stage([spec]).load();
  const { replay } = stage;
  const deltaAt = (seconds: number) => {
    replay.seek(at(seconds));
    return replay.sumsOf(0)!.delta.all.at(-1)?.data.close;
  };
  const sums = [10, 60, 90].map(deltaAt);
  assert.equal(new Set(sums).size, 3);
  assert.deepEqual([90, 60, 10].map(deltaAt), sums.toReversed());
  assert.equal(stage.contents[0]!.layers.get('delta')!.objects, replay.sumsOf(0)!.delta);
});

test('the selvedge reaches no further than one has watched', async () => {
  const stage = await new Stage([{}]).load();
  const { replay } = stage;
  assert.deepEqual([replay.selvedge, replay.watchedNs], [[], START_NS]);
  replay.seek(at(80));
  assert.equal(replay.selvedge.length, 2);
  const volume = replay.selvedge.reduce((sum, minute) => sum + minute.volume, 0);
  const delta = replay.selvedge.reduce((sum, minute) => sum + minute.delta, 0);
  const trades = stage.service.trades.get('ESZ6')!.slice(0, 80);
  assert.equal(
    volume,
    trades.reduce((sum, { size }) => sum + size, 0),
  );
  assert.equal(
    delta,
    trades.reduce((sum, { size, side }) => sum + size * side, 0),
  );
  replay.seek(at(5));
  assert.equal(replay.selvedge.length, 2, 'what was watched stays');
  assert.equal(replay.watchedNs, at(80));
  assert.equal(replay.selvedge[0]!.fromNs % (60n * SECOND), 0n);
});

test('a session above what a gesture may spend is played after its cost was read', async () => {
  const stage = await new Stage([{}, {}], { plan: 'sandbox', unitsPerTrade: 10_000 }).load();
  const { replay, service } = stage;
  assert.deepEqual(replay.state, {
    ...{ t: 'asking', units: 1_800_000, share: 0.036 },
    text: "This session costs 1,800,000 units for 2 indicators: 3.6% of November's 50,000,000.",
  });
  assert.equal(service.charged, 0);
  replay.play();
  replay.seek(at(5));
  assert.equal(replay.state.t, 'asking');
  await stage.load(true);
  assert.deepEqual({ ...replay.state }, { t: 'paused' });
  assert.equal(stage.budget.spentToday, 1_800_000);
  replay.close();
  assert.equal(stage.budget.spentToday, service.charged);
});

test('units that are used up, a session without trades and a failure are said', async () => {
  const poor = new Stage([{}], { plan: 'sandbox' });
  poor.service.remaining = 3;
  await poor.load();
  assert.match((poor.replay.state as { text: string }).text, /^November's history is used up/);
  const empty = await new Stage([{}], { trades: 0 }).load();
  assert.deepEqual(empty.replay.state, {
    t: 'failed',
    text: 'There are no trades of this session.',
  });
  const broken = new Stage([{}]);
  broken.service.faults.push(new TapeloomError('UNKNOWN_INSTRUMENT', 'No such contract.'));
  await broken.load();
  assert.deepEqual(broken.replay.state, {
    ...{ t: 'failed', text: 'The session cannot be played. No such contract.' },
  });
});

test('a page that fails for a while is asked for again, where the one before ended', async () => {
  const stage = new Stage([{}], { pageMax: 20 });
  const loading = stage.load();
  stage.service.faults.push(
    new TapeloomError('CAPACITY', 'busy'),
    new TapeloomError('NETWORK', ''),
  );
  for (let tries = 0; tries < 4; tries += 1) {
    await settle();
    stage.service.clock.pass(6_000);
  }
  await loading;
  stage.service.faults.push(new TapeloomError('CAPACITY', 'busy'));
  stage.replay.seek(SESSION.closeNs);
  for (let tries = 0; tries < 4; tries += 1) {
    await settle();
    stage.service.clock.pass(6_000);
  }
  assert.equal(stage.text, stage.expected(SESSION.closeNs));
});

test('a layer that the service has not is refused alone', async () => {
  const stage = new Stage([{ layers: [LAYER] }]);
  stage.service.lacking.set(
    'unfinished-auctions',
    new TapeloomError('UNKNOWN_INDICATOR', 'Never heard of it.'),
  );
  await stage.load();
  assert.equal(stage.replay.state.t, 'paused');
  assert.deepEqual(stage.contents[0]!.layers.get('u')!.state, {
    ...{ t: 'refused', code: 'UNKNOWN_INDICATOR', text: 'Never heard of it.' },
  });
  stage.replay.seek(at(40));
  assert.equal(stage.text, stage.expected(at(40)));
});

test('only a little is loaded ahead, and playing waits where pages are missing', async () => {
  const stage = new Stage([{}], { pageMax: 10 });
  const { replay, service } = stage;
  await stage.load();
  const asked = service.pagesAsked.length;
  assert.ok(asked <= 10, String(asked));
  replay.play();
  await stage.pass(90_000);
  assert.equal(stage.text, stage.expected(at(90)));
  replay.close();
  const { length } = service.pagesAsked;
  await stage.pass(10_000);
  assert.equal(service.pagesAsked.length, length);
});

test('over: playing again begins at the open', async () => {
  const stage = await new Stage([{}]).load();
  const { replay } = stage;
  replay.seek(SESSION.closeNs);
  await settle();
  const states: string[] = [replay.state.t];
  replay.stepBack('bar');
  states.push(replay.state.t);
  replay.seek(SESSION.closeNs);
  replay.play();
  await stage.pass(3_000);
  assert.deepEqual([...states, replay.state.t], ['over', 'paused', 'playing']);
  assert.equal(replay.atNs, at(3));
  assert.ok(stage.changes > 10);
});
