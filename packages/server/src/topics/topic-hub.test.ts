import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseCursor } from '@tapeloom/core/cursor';
import type { EpochNs } from '@tapeloom/core/numbers';
import { addDays, epochNs } from '@tapeloom/core/utc-day';
import { FlushPress } from '../../testing/stream/published-flushes.ts';
import {
  CLOSE,
  DAY,
  FRAMES,
  Listener,
  MIDNIGHT,
  OPEN,
  PlayedEngine,
  READY,
  spec,
  TopicStage,
} from '../../testing/stream/topic-stage.ts';
import { TEST_DATASET } from '../../testing/tape/one-dataset.ts';
import { BlockWriter } from '../blocks/block-writer.ts';
import type { EngineMessage } from './engine-link.ts';
import { TOPIC_LINGER_MS } from './idle-topics.ts';
import { TOPICS_MAX } from './topic-places.ts';

const at = (promise: EpochNs) => new Map([[TEST_DATASET, promise]]);

test('equal subscriptions share a topic and a snapshot, and follow from it on', () => {
  using stage = new TopicStage();
  const { engine } = stage;
  const [a, b, other, late] = [new Listener(), new Listener(), new Listener(7), new Listener()];
  const attachments = [a, b, other].map((it) => stage.attach(spec(1), it));
  engine.hear({
    t: 'pulse',
    watermarks: at(OPEN),
    topics: [{ topic: 1, position: null, lagMs: 3 }],
  });
  engine.hear({ t: 'ready', topic: 1, position: MIDNIGHT, ...READY });
  for (const attachment of attachments) attachment.requestSnapshot();
  assert.deepEqual(engine.kinds(), ['open', 'snapshot', 'snapshot']);
  engine.hear({ t: 'flush', topic: 1, position: '20261112.1.1', ...FRAMES });
  engine.hear({ t: 'snapshot', topic: 1, request: 1, ...FRAMES });
  stage.attach(spec(1), late);
  engine.hear({ t: 'flush', topic: 1, position: '20261112.2.1', ...FRAMES });
  assert.deepEqual(a.heard, ['live', 'ready', 'snapshot', 'flush']);
  assert.deepEqual(b.heard, a.heard);
  assert.deepEqual(other.heard, ['live', 'ready']);
  assert.deepEqual(late.heard, []);
  assert.equal(attachments[0]?.topic.position, '20261112.2.1');
  const { topicsOpenedTotal, snapshotsTotal, flushesTotal, subscribers } = stage.hub.metrics;
  assert.deepEqual(
    [topicsOpenedTotal, snapshotsTotal, flushesTotal, subscribers],
    [1, { asked: 2, shared: 1 }, 2, 4],
  );
});

test('a topic lingers after its last subscriber, and is found again meanwhile', () => {
  using stage = new TopicStage();
  stage.watched(spec(1), 'one').detach();
  stage.clock.advance(TOPIC_LINGER_MS - 1);
  const again = stage.attach(spec(1), new Listener());
  stage.clock.advance(TOPIC_LINGER_MS);
  assert.deepEqual(stage.engine.kinds(), ['open']);
  again.detach();
  again.detach();
  stage.clock.advance(TOPIC_LINGER_MS);
  assert.deepEqual(stage.engine.kinds(), ['open', 'close']);
  assert.deepEqual(stage.hub.counts, { topics: 0, idleTopics: 0 });
});

test('an indicator that is refused ends for all who watch it and for nobody else, until it is let in again', () => {
  using stage = new TopicStage();
  const [a, idle, other] = [new Listener(), new Listener(), new Listener()];
  stage.attach(spec(1), a);
  stage.attach(spec(2), idle).detach();
  const kept = { ...spec(1), indicator: 'delta' };
  stage.attach(kept, other);
  stage.hub.refuse(({ indicator }) => (indicator === spec(1).indicator ? 'Not here.' : null));
  assert.equal(a.heard.at(-1), 'SOURCE_DOWN');
  assert.ok(!other.heard.includes('SOURCE_DOWN'));
  assert.equal(stage.refusal(spec(1)), 'SOURCE_DOWN');
  assert.equal(stage.hub.counts.topics, 1);
  stage.hub.refuse(() => null);
  assert.equal(stage.refusal(spec(1)), null);
});

test('at the limit of topics an idle one makes room, else a new one is refused with CAPACITY', () => {
  using stage = new TopicStage();
  const attachments = Array.from({ length: TOPICS_MAX }, (_, size) =>
    stage.watched(spec(size + 1), `account ${size}`),
  );
  assert.equal(stage.refusal(spec(TOPICS_MAX + 1)), 'CAPACITY');
  attachments[5]?.detach();
  attachments[4]?.detach();
  stage.attach(spec(TOPICS_MAX + 1), new Listener());
  assert.deepEqual(stage.engine.sent.at(-2), { t: 'close', topic: 6 });
  assert.equal(stage.hub.counts.topics, TOPICS_MAX);
});

test('a failed topic ends its subscribers with INTERNAL and is opened afresh by the next one', () => {
  using stage = new TopicStage();
  const { engine } = stage;
  const [one, two] = [new Listener(), new Listener()];
  const attachment = stage.attach(spec(1), one);
  stage.attach(spec(2), two);
  engine.hear({ t: 'failed', topic: 1 });
  engine.hear({ t: 'flush', topic: 1, position: '20261112.1.1', ...FRAMES });
  attachment.requestSnapshot();
  attachment.detach();
  assert.deepEqual([one.heard, two.heard], [['INTERNAL'], []]);
  stage.attach(spec(1), new Listener());
  assert.deepEqual(engine.kinds(), ['open', 'open', 'open']);
});

test('a lost engine ends everything; the next one starts without its memory', () => {
  using stage = new TopicStage();
  const one = new Listener();
  stage.attach(spec(1), one);
  const { hear, lose } = stage.engine;
  lose(new Error('gone'));
  assert.deepEqual(one.heard, ['down', 'INTERNAL']);
  assert.equal(stage.hub.state, 'down');
  assert.equal(stage.refusal(spec(1)), 'SOURCE_DOWN');
  const next = new PlayedEngine();
  stage.hub.replace(0, next.link);
  assert.equal(stage.hub.state, 'up');
  const two = new Listener();
  stage.attach(spec(1), two);
  hear({ t: 'failed', topic: 2 });
  assert.deepEqual([next.sent.length, two.heard], [1, []]);
});

test('topics are spread by contract, and the loss of one engine ends its own only', () => {
  using stage = new TopicStage(3);
  const contracts = Array.from({ length: 60 }, (_, index) => `X${index}`);
  const listeners = new Map(contracts.map((contract) => [contract, new Listener()]));
  for (const [contract, listener] of listeners) {
    stage.attach({ ...spec(1), contract }, listener);
    stage.attach({ ...spec(2), contract }, listener);
  }
  const homes = new Map<string, number>();
  for (const [index, { sent }] of stage.engines.entries()) {
    assert.ok(sent.length >= 20, `engine ${index} has ${sent.length} topics`);
    for (const command of sent) {
      if (command.t !== 'open') continue;
      const { contract } = command.spec;
      assert.equal(homes.get(contract) ?? index, index, 'one engine has all of a contract');
      homes.set(contract, index);
    }
  }
  stage.engines[1]!.lose(new Error('gone'));
  assert.equal(stage.hub.state, 'up');
  for (const [contract, { heard }] of listeners) {
    const ended = homes.get(contract) === 1;
    assert.deepEqual(heard, ended ? ['down', 'INTERNAL', 'down', 'INTERNAL'] : []);
  }
  // They subscribe again, and the remaining engines compute their topics.
  const before = stage.engines.map(({ sent }) => sent.length);
  for (const contract of contracts) stage.attach({ ...spec(1), contract }, new Listener());
  assert.equal(stage.engines[1]!.sent.length, before[1]);
  const replacement = new PlayedEngine();
  stage.hub.replace(1, replacement.link);
  for (const contract of contracts) stage.attach({ ...spec(3), contract }, new Listener());
  assert.deepEqual(
    replacement.sent.map((command) => command.t === 'open' && command.spec.contract),
    contracts.filter((contract) => homes.get(contract) === 1),
  );
});

test('tape time is the least of all engines, never goes back, and days come later to delayed streams [DET-22]', () => {
  using stage = new TopicStage(2);
  const [one, two] = stage.engines;
  const days: string[] = [];
  stage.hub.onTapeDay((day) => days.push(`now ${day}`));
  stage.hub.onTapeDay((day) => days.push(`delayed ${day}`), 600);
  const midnight = epochNs(addDays(DAY, 1), 0);
  const pulse = (engine: PlayedEngine | undefined, seconds: number) => {
    const promise = (midnight + BigInt(seconds) * 1_000_000_000n) as EpochNs;
    engine?.hear({ t: 'pulse', watermarks: at(promise), topics: [] });
  };
  pulse(one, -1);
  pulse(two, -2);
  assert.deepEqual(days.splice(0), ['now 20261112', 'delayed 20261112']);
  pulse(one, 1);
  assert.equal(stage.hub.tapeDayOf('A'), 20261112);
  pulse(two, 1);
  one?.hear({
    t: 'watermark',
    dataset: TEST_DATASET,
    promise: (midnight + 2_000_000_000n) as EpochNs,
  });
  assert.equal(stage.hub.tapeTimeOf('A'), midnight + 1_000_000_000n);
  pulse(one, 2);
  assert.deepEqual(days.splice(0), ['now 20261113']);
  assert.deepEqual([stage.hub.tapeDayOf('A'), stage.hub.tapeDayOf('A', 600)], [20261113, 20261112]);
  two?.lose(new Error('gone'));
  const next = new PlayedEngine();
  stage.hub.replace(1, next.link);
  pulse(next, -5);
  assert.deepEqual([days, stage.hub.tapeDayOf('A')], [[], 20261113]);
  pulse(next, 601);
  pulse(one, 602);
  assert.deepEqual(days, ['delayed 20261113']);
});

test('each dataset has its own days and its own source', () => {
  using stage = new TopicStage(1, 1e9, (contract) =>
    contract === 'ESZ6' ? TEST_DATASET : 'OTHER',
  );
  const { hub, engine } = stage;
  const days: string[] = [];
  hub.onTapeDay((day, dataset) => days.push(`${dataset} ${day}`));
  const midnight = epochNs(addDays(DAY, 1), 0);
  const pulse = (own: EpochNs, other: EpochNs) =>
    engine.hear({
      t: 'pulse',
      watermarks: new Map([
        [TEST_DATASET, own],
        ['OTHER', other],
      ]),
      topics: [],
    });
  pulse(OPEN, OPEN);
  assert.deepEqual(days.splice(0), [`${TEST_DATASET} ${DAY}`, `OTHER ${DAY}`]);
  pulse(OPEN, midnight);
  assert.deepEqual(days, [`OTHER ${addDays(DAY, 1)}`]);
  assert.deepEqual([hub.tapeDayOf('ESZ6'), hub.tapeDayOf('BTC')], [DAY, addDays(DAY, 1)]);
  assert.deepEqual([hub.tapeTimeOf('ESZ6'), hub.tapeTimeOf('BTC')], [OPEN, midnight]);
  const [own, other] = [new Listener(), new Listener()];
  stage.attach(spec(1), own);
  stage.attach({ ...spec(1), contract: 'BTC' }, other);
  hub.setSource('OTHER', 'down');
  assert.deepEqual([hub.isSourceUp('ESZ6'), hub.isSourceUp('BTC'), hub.state], [true, false, 'up']);
  assert.deepEqual([own.heard, other.heard], [[], ['down']]);
  assert.equal(stage.refusal({ ...spec(2), contract: 'BTC' }), 'SOURCE_DOWN');
  assert.equal(stage.refusal(spec(2)), null);
});

test('whatever stands on a new day changes the day before anybody gets it [DET-22]', () => {
  const [before, after] = [MIDNIGHT, `${addDays(DAY, 1)}.0.0`];
  const writer = new BlockWriter(64, 1);
  const frames = (cursor: string) => {
    const at = parseCursor(cursor)!;
    writer.upsert({ id: 'a', final: false, ts: '1', data: {} }, at, 1);
    return { block: writer.take(at.day) };
  };
  const ready = { t: 'ready', topic: 1, ...READY } as const;
  const flush = { t: 'flush', topic: 1, position: after } as const;
  const topics = [{ topic: 1, position: after, lagMs: 0 }];
  const cases: [EngineMessage, string[]][] = [
    [{ ...flush, ...frames(after) }, ['20261113', 'flush']],
    // The last flush of a day is still of that day; only its position is not.
    [{ ...flush, ...frames(before) }, ['flush', '20261113']],
    [{ t: 'snapshot', topic: 1, request: 2, ...frames(after) }, ['20261113', 'snapshot']],
    [{ ...ready, position: after }, ['20261113']],
    [{ t: 'pulse', watermarks: at(OPEN), topics }, ['20261113']],
  ];
  for (const [message, heard] of cases) {
    for (const delaySeconds of [0, 600]) {
      using stage = new TopicStage();
      const { engine, hub } = stage;
      engine.hear({ t: 'pulse', watermarks: at(OPEN), topics: [] });
      const [one, other] = [new Listener(), new Listener(7)];
      const attachments = [one, other].map((it) => stage.attach(spec(1, delaySeconds), it));
      engine.hear({ ...ready, position: before });
      for (const attachment of attachments) attachment.requestSnapshot();
      engine.hear({ t: 'snapshot', topic: 1, request: 1, ...frames(before) });
      const listener = message.t === 'snapshot' ? other : one;
      listener.heard.length = 0;
      hub.onTapeDay((day) => listener.heard.push(`${day}`), delaySeconds);
      engine.hear(message);
      assert.deepEqual(
        [listener.heard, hub.tapeDayOf('A', delaySeconds)],
        [heard, addDays(DAY, 1)],
      );
    }
  }
});

test('for a name that means the contract from a day on, its topic is ready when it comes to that day', () => {
  using stage = new TopicStage();
  const { engine } = stage;
  const next = new Listener();
  next.shows = (day) => day > DAY;
  assert.ok(!stage.attach(spec(1), next).isReady);
  engine.hear({ t: 'ready', topic: 1, position: MIDNIGHT, ...READY });
  assert.ok(stage.attach(spec(1), new Listener()).isReady);
  assert.ok(!next.heard.includes('ready'));
  const topics = [{ topic: 1, position: `${addDays(DAY, 1)}.0.0`, lagMs: 0 }];
  for (let times = 0; times < 2; times += 1)
    engine.hear({ t: 'pulse', watermarks: at(OPEN), topics });
  assert.equal(next.heard.filter((it) => it === 'ready').length, 1);
});

test('stale, down, closed and the way back are told once each; a delayed stream by its own time', () => {
  using stage = new TopicStage();
  const { engine, clock, hub } = stage;
  const [now, later] = [new Listener(), new Listener()];
  const attachments = [stage.attach(spec(1), now), stage.attach(spec(1, 600), later)];
  const pass = (seconds: number, isSilent = false) => {
    for (let second = 0; second < seconds; second += 1) {
      clock.advance(1_000);
      const topics = [1, 2].map((topic) => ({ topic, position: null, lagMs: 0 }));
      if (!isSilent) engine.hear({ t: 'pulse', watermarks: at(clock.now()), topics });
    }
  };
  pass(1);
  for (const topic of [1, 2]) engine.hear({ t: 'ready', topic, position: MIDNIGHT, ...READY });
  assert.deepEqual(
    [now.heard.splice(0), later.heard.splice(0)],
    [
      ['live', 'ready'],
      ['closed', 'ready'],
    ],
  );
  pass(610);
  assert.deepEqual([now.heard.splice(0), later.heard.splice(0)], [[], ['live']]);
  pass(30, true);
  pass(30);
  assert.deepEqual(
    [now.heard.splice(0), later.heard.splice(0)],
    [
      ['stale', 'live'],
      ['stale', 'live'],
    ],
  );
  hub.setSource(TEST_DATASET, 'down');
  hub.setSource(TEST_DATASET, 'down');
  pass(3);
  hub.setSource(TEST_DATASET, 'up');
  pass(3);
  assert.deepEqual(
    [now.heard.splice(0), later.heard.splice(0)],
    [
      ['down', 'live'],
      ['down', 'live'],
    ],
  );
  assert.deepEqual(
    attachments.map(({ topic }) => topic.lagMs),
    [0, 0],
  );
  clock.advanceTo(CLOSE - 1_000_000_000n);
  pass(2);
  assert.deepEqual([now.heard.at(-1), later.heard.at(-1)], ['closed', 'live']);
  pass(600);
  assert.deepEqual([now.heard.at(-1), later.heard.at(-1)], ['closed', 'closed']);
});

test('without a source new subscriptions are refused with SOURCE_DOWN, also to a topic that runs [ERR-35]', () => {
  using stage = new TopicStage();
  const listener = new Listener();
  stage.attach(spec(1), listener);
  stage.hub.setSource(TEST_DATASET, 'down');
  assert.deepEqual(
    [stage.refusal(spec(1)), stage.refusal(spec(2))],
    ['SOURCE_DOWN', 'SOURCE_DOWN'],
  );
  assert.deepEqual(listener.heard, ['down']);
  stage.hub.setSource(TEST_DATASET, 'up');
  assert.equal(stage.refusal(spec(2)), null);
});

test('a feed that is silent makes streams down while the market is open, and refuses nobody', () => {
  using stage = new TopicStage();
  const { hub, clock, engine } = stage;
  const [listener, next] = [new Listener(), new Listener()];
  stage.attach(spec(1), listener);
  engine.goLive(1, new FlushPress());
  hub.setFeed(TEST_DATASET, 'down');
  assert.deepEqual([hub.isFed('ESZ6'), hub.isSourceUp('ESZ6'), hub.state], [false, true, 'up']);
  assert.equal(listener.heard.at(-1), 'down');
  stage.attach(spec(1), next);
  clock.advance(Number(CLOSE - clock.now()) / 1e6 + 1_000);
  assert.equal(listener.heard.at(-1), 'closed');
});

test('a contract whose trades cannot be taken is down, alone', () => {
  using stage = new TopicStage();
  const { hub } = stage;
  const [own, other] = [new Listener(), new Listener()];
  stage.attach(spec(1), own);
  stage.attach({ ...spec(1), contract: 'NQZ6' }, other);
  hub.setContract('NQZ6', 'down');
  hub.setContract('NQZ6', 'down');
  assert.deepEqual([own.heard, other.heard], [[], ['down']]);
  assert.deepEqual([hub.isSourceUp('ESZ6'), hub.isSourceUp('NQZ6')], [true, false]);
  assert.equal(stage.refusal({ ...spec(2), contract: 'NQZ6' }), 'SOURCE_DOWN');
  hub.setContract('NQZ6', 'up');
  assert.equal(stage.refusal({ ...spec(2), contract: 'NQZ6' }), null);
  assert.equal(hub.sourceChanges, 2);
});

test('the listing shows every topic as it stands', () => {
  using stage = new TopicStage();
  const press = new FlushPress();
  stage.attach(spec(1, 600), new Listener());
  assert.deepEqual(stage.hub.topics()[0]?.floor, null);
  const { floor } = press;
  stage.engine.goLive(1, press);
  stage.engine.publish(1, press);
  stage.clock.advance(2_000);
  const [facts] = stage.hub.topics();
  assert.deepEqual(
    { ...facts, ringBytes: (facts?.ringBytes ?? 0) > 0 },
    {
      topic: 'ESZ6/bars?size=1&delaySeconds=600',
      engine: 0,
      state: 'closed',
      lagMs: 0,
      subscribers: 1,
      ringBytes: true,
      floor,
      position: stage.hub.topics()[0]?.position,
      ageMs: 2_000,
    },
  );
});
