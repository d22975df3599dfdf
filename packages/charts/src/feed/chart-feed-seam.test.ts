/** No bar is missing and none is there twice, whatever is cut, reset, rolled or scrolled, and whatever size pages have. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { START_NS } from '../../testing/fake-service.ts';
import { DAY_NS } from '../../testing/fake-tape.ts';
import { FeedStage } from '../../testing/feed-stage.ts';

const LAYER = {
  key: 'u',
  indicator: 'unfinished-auctions',
  params: { bar: 'volume' },
  isHidden: false,
};

type Step =
  | { readonly t: 'trades'; readonly count: number; readonly seed: number }
  | { readonly t: 'hours'; readonly count: number }
  | { readonly t: 'back' }
  /** A gesture whose pages are still on their way when the next step comes. */
  | { readonly t: 'scroll' }
  | { readonly t: 'cut'; readonly trades: number }
  | { readonly t: 'reset'; readonly reason: string; readonly trades: number };

const steps: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    t: fc.constant('trades' as const),
    count: fc.integer({ min: 1, max: 25 }),
    seed: fc.nat({ max: 4 }),
  }),
  fc.record({ t: fc.constant('hours' as const), count: fc.integer({ min: 1, max: 26 }) }),
  fc.record({ t: fc.constant('back' as const) }),
  fc.record({ t: fc.constant('scroll' as const) }),
  fc.record({ t: fc.constant('cut' as const), trades: fc.nat({ max: 20 }) }),
  fc.record({
    t: fc.constant('reset' as const),
    reason: fc.constantFrom('cursor_expired', 'source_gap', 'engine_changed', 'from_tomorrow'),
    trades: fc.nat({ max: 20 }),
  }),
);

async function play(stage: FeedStage, step: Step): Promise<void> {
  const { service } = stage;
  switch (step.t) {
    case 'trades':
      stage.trades(step.count, step.seed);
      break;
    case 'hours':
      stage.hours(step.count);
      break;
    case 'back':
      await stage.back();
      return;
    case 'scroll':
      service.pass(2_000);
      stage.feed.loadBack();
      for (let turns = 0; turns < 12; turns += 1) await null;
      return;
    case 'cut':
      service.cut();
      stage.trades(step.trades);
      service.heal();
      break;
    case 'reset':
      service.cut();
      stage.trades(step.trades);
      service.heal(step.reason);
      break;
    default:
      step satisfies never;
  }
  await stage.settle();
}

/** The objects of the layer: what they are, and when each was removed. */
function layerText({ content }: FeedStage): string {
  const { all } = content.layers.get('u')!.objects;
  return all.map(({ id, ts, removedNs }) => `${id} ${ts} ${removedNs}`).join('\n');
}

function expectedLayer({ service }: FeedStage): string {
  const removed = new Map<string, bigint>();
  const log = service.logOf(service.contract, { indicator: 'unfinished-auctions', params: {} });
  for (const { t, object, ns } of log) if (t === 'remove') removed.set(object.id, ns);
  return log
    .filter(({ t }) => t === 'upsert')
    .map(({ object: { id, ts } }) => `${id} ${ts} ${removed.get(id) ?? null}`)
    .join('\n');
}

test('snapshot, history and stream make one series, over any cuts, resets and sizes of pages', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(steps, { maxLength: 5 }),
      fc.array(steps, { maxLength: 8 }),
      fc.constantFrom(1, 2, 3, 7, 1_000),
      fc.constantFrom(1, 3, 10, 500),
      fc.boolean(),
      async (before, after, pageMax, depth, hasSessions) => {
        const stage = new FeedStage({ pageMax, depth, hasSessions });
        for (const step of before)
          if (step.t !== 'back' && step.t !== 'scroll') await play(stage, step);
        await stage.open();
        for (const step of after) await play(stage, step);
        await stage.backToStart();
        assert.equal(stage.text, stage.expected());
        stage.feed.close();
      },
    ),
    { numRuns: 60 },
  );
});

test('levels that are removed, whenever they were made: each once, with its end', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(steps, { maxLength: 5 }),
      fc.array(steps, { maxLength: 6 }),
      fc.constantFrom(1, 4, 1_000),
      async (before, after, pageMax) => {
        const stage = new FeedStage({ pageMax, spec: { layers: [LAYER] } });
        for (const step of before)
          if (step.t !== 'back' && step.t !== 'scroll') await play(stage, step);
        await stage.open();
        for (const step of after) await play(stage, step);
        await stage.backToStart();
        assert.equal(layerText(stage), expectedLayer(stage));
        stage.feed.close();
      },
    ),
    { numRuns: 50 },
  );
});

test('an alias rolls at any time, watched or not: bars stand where it meant their contract, each once', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(steps, { maxLength: 6 }),
      fc.array(steps, { maxLength: 8 }),
      fc.integer({ min: 1, max: 3 }),
      fc.constantFrom(2, 1_000),
      async (before, after, rollDay, pageMax) => {
        const stage = new FeedStage({ pageMax, spec: { layers: [LAYER] } });
        const { service } = stage;
        const midnight = (START_NS / DAY_NS + BigInt(rollDay)) * DAY_NS;
        service.rolls = [...service.rolls, { from: midnight, symbol: 'ESH7' }];
        for (const step of before)
          if (step.t !== 'back' && step.t !== 'scroll') await play(stage, step);
        await stage.open();
        for (const step of after) await play(stage, step);
        await stage.backToStart();
        assert.equal(stage.text, stage.expected());
        const ids = layerText(stage)
          .split('\n')
          .map((line) => line.split(' ')[0]);
        assert.equal(new Set(ids).size, ids.length);
        stage.feed.close();
      },
    ),
    { numRuns: 60 },
  );
});
