import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSessionTable } from '@tapeloom/core/calendar/session-table';
import type { EpochNs } from '@tapeloom/core/numbers';
import { addDays, epochNs, utcDay } from '@tapeloom/core/utc-day';
import { ManualClock } from '../../../../simulation/manual-clock.ts';
import {
  cursorsIn,
  FlushPress,
  type MessagePlan,
} from '../../../../simulation/published-flushes.ts';
import type { EngineCommand, EngineMessage, TopicSpec } from './engine-link.ts';
import type { Flush } from './flush.ts';
import { IDLE_GRACE_MS, TOPIC_LINGER_MS } from './idle-topics.ts';
import type { Subscriber } from './topic.ts';
import { TOPICS_MAX, TopicHub } from './topic-hub.ts';

const DAY = utcDay(20261112);
const OPEN = epochNs(DAY, 36_000_000_000_000);
const CLOSE = epochNs(DAY, 72_000_000_000_000);
const SESSIONS = createSessionTable([{ date: DAY, open: OPEN, close: CLOSE }]);

function spec(size: number, delaySeconds = 0): TopicSpec {
  return { contract: 'ESZ6', indicator: 'bars', params: { size }, delaySeconds };
}

/** An engine played by the test. */
class Engine {
  readonly sent: EngineCommand[] = [];
  hear: (message: EngineMessage) => void = () => {};
  lose: (cause: Error) => void = () => {};
  readonly link = {
    send: (command: EngineCommand) => this.sent.push(command),
    listen: (hear: (message: EngineMessage) => void, lost: (cause: Error) => void) => {
      this.hear = hear;
      this.lose = lost;
    },
  };

  kinds(): readonly string[] {
    return this.sent.map((command) => command.t);
  }

  /** It makes a topic publish from here on. */
  goLive(topic: number, press: FlushPress): void {
    this.hear({ t: 'live', topic, floor: press.floor });
    this.hear({ t: 'ready', topic, warm: true, lagMs: 0 });
  }

  publish(topic: number, press: FlushPress, padding = 10): void {
    const plan: MessagePlan = { kind: 'upsert', final: false, id: 'a', padding };
    this.hear({ t: 'flush', topic, ...press.next([plan], 1_000) });
  }
}

class Stage implements Disposable {
  readonly clock = new ManualClock(OPEN);
  readonly engines: readonly Engine[];
  readonly hub: TopicHub;

  constructor(engines = 1, ringBytesMax = 1e9) {
    const { clock } = this;
    const fullSessions = () => SESSIONS;
    this.hub = new TopicHub({ clock, timers: clock, fullSessions, ringBytesMax });
    this.engines = Array.from({ length: engines }, () => new Engine());
    this.hub.connect(this.engines.map(({ link }) => link));
  }

  get engine(): Engine {
    return this.engines[0]!;
  }

  attach(of: TopicSpec, subscriber: Subscriber, since: string | null = null) {
    const attachment = this.hub.attach(of, subscriber, since);
    assert.ok('topic' in attachment, 'code' in attachment ? attachment.code : '');
    return attachment;
  }

  refusal(of: TopicSpec): string | null {
    const answer = this.hub.attach(of, new Listener());
    return 'code' in answer ? answer.code : null;
  }

  [Symbol.dispose](): void {
    this.hub[Symbol.dispose]();
    assert.equal(this.clock.timerCount, 0);
  }
}

class Listener implements Subscriber {
  readonly mode = 'live';
  readonly depth: number;
  readonly heard: string[] = [];
  readonly cursors: string[] = [];

  constructor(depth = 500) {
    this.depth = depth;
  }

  ready = () => this.heard.push('ready');
  snapshot = () => this.heard.push('snapshot');
  flush = (flush: Flush) => {
    this.heard.push('flush');
    this.cursors.push(...cursorsIn([flush], 'live'));
  };
  status = (state: string) => this.heard.push(state);
  ended = (code: string) => this.heard.push(code);
}

const FRAMES = { edge: OPEN, entries: [], bytes: new Uint8Array() };

test('equal subscriptions share a topic and a snapshot, and follow from it on', () => {
  using stage = new Stage();
  const { engine } = stage;
  const [a, b, other, late] = [new Listener(), new Listener(), new Listener(7), new Listener()];
  const attachments = [a, b, other].map((it) => stage.attach(spec(1), it));
  engine.hear({ t: 'pulse', promise: OPEN, topics: [{ topic: 1, position: null, lagMs: 3 }] });
  engine.hear({ t: 'ready', topic: 1, warm: true, lagMs: 0 });
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
  using stage = new Stage();
  stage.attach(spec(1), new Listener()).detach();
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

test('whoever comes back gets from the ring what was published while nobody listened, then follows', () => {
  using stage = new Stage();
  const { engine } = stage;
  const press = new FlushPress();
  const since = press.floor;
  const early = stage.attach(spec(1), new Listener(), since);
  assert.deepEqual(engine.sent, [{ t: 'open', topic: 1, spec: spec(1), since }]);
  assert.deepEqual([early.floor, early.pull(since, 1e6)], [null, null]);
  engine.hear({ t: 'live', topic: 1, floor: press.floor });
  engine.publish(1, press);
  engine.hear({ t: 'ready', topic: 1, warm: true, lagMs: 0 });
  early.detach();
  for (let step = 0; step < 20; step += 1) engine.publish(1, press);
  const listener = new Listener();
  const back = stage.attach(spec(1), listener, since);
  assert.equal(back.floor, since);
  const got: string[] = [];
  for (let through = since; ; ) {
    const piece = back.pull(through, 200)!;
    got.push(...cursorsIn(piece.flushes, 'live'));
    through = piece.through;
    if (piece.isNewest) break;
    if (press.published.length < 40) engine.publish(1, press);
  }
  engine.publish(1, press);
  assert.deepEqual([...got, ...listener.cursors], press.beyond(since, 'live'));
  assert.deepEqual(stage.hub.metrics.resumesTotal, { served: 1, refused: 1 });
  assert.deepEqual(engine.kinds(), ['open']);
});

test('a cursor below the floor is refused, and the floor says from where on it can be served', () => {
  using stage = new Stage(1, 200_000);
  const { engine } = stage;
  const press = new FlushPress();
  const attachment = stage.attach(spec(1), new Listener());
  const from = press.floor;
  engine.goLive(1, press);
  for (let step = 0; step < 40; step += 1) engine.publish(1, press, 4_000);
  assert.equal(attachment.pull(from, 1e6), null);
  const floor = attachment.floor!;
  const piece = attachment.pull(floor, 1e6)!;
  assert.deepEqual(cursorsIn(piece.flushes, 'live'), press.beyond(floor, 'live'));
  const { ringBytes, ringEvictionsTotal, resumesTotal } = stage.hub.metrics;
  assert.ok(ringBytes > 0 && ringBytes <= 200_000);
  assert.ok(ringEvictionsTotal.total > 0);
  assert.deepEqual(resumesTotal, { served: 1, refused: 1 });
});

test('a subscriber whose cursor lies ahead of a topic that catches up gets nothing twice', () => {
  using stage = new Stage();
  const { engine } = stage;
  const press = new FlushPress();
  const listener = new Listener();
  const attachment = stage.attach(spec(1), listener);
  engine.goLive(1, press);
  const { rank } = press;
  const ahead = `20261112.${rank + 5}.2`;
  assert.equal(attachment.pull(ahead, 1e6)?.isNewest, true);
  for (let step = 0; step < 6; step += 1) engine.publish(1, press);
  assert.deepEqual(listener.cursors, press.beyond(ahead, 'live'));
  assert.ok(listener.cursors.length > 0 && listener.cursors.length < 6);
});

test('the ring of a quiet topic empties as its tape time passes, and its last cursor stays good [SUB-17]', () => {
  using stage = new Stage();
  const { engine } = stage;
  const press = new FlushPress();
  const attachment = stage.attach(spec(1, 600), new Listener());
  const from = press.floor;
  engine.goLive(1, press);
  engine.publish(1, press);
  const pulse = (minutes: number) => {
    const promise = (press.edge + BigInt(minutes) * 60_000_000_000n) as EpochNs;
    const topics = [{ topic: 1, position: '20261112.90.0', lagMs: 0 }];
    engine.hear({ t: 'pulse', promise, topics });
  };
  pulse(25);
  assert.ok(stage.hub.metrics.ringBytes > 0, 'it is ten minutes younger for a delayed topic');
  pulse(27);
  assert.equal(stage.hub.metrics.ringBytes, 0);
  assert.equal(attachment.pull(from, 1e6), null);
  const piece = attachment.pull(press.published.at(-1)!.cursor, 1e6);
  assert.deepEqual([piece?.flushes, piece?.isNewest], [[], true]);
});

test('at the limit of topics an idle one makes room, else a new one is refused with CAPACITY', () => {
  using stage = new Stage();
  const attachments = Array.from({ length: TOPICS_MAX }, (_, size) =>
    stage.attach(spec(size + 1), new Listener()),
  );
  assert.equal(stage.refusal(spec(TOPICS_MAX + 1)), 'CAPACITY');
  attachments[5]?.detach();
  attachments[4]?.detach();
  stage.attach(spec(TOPICS_MAX + 1), new Listener());
  assert.deepEqual(stage.engine.sent.at(-2), { t: 'close', topic: 6 });
  assert.equal(stage.hub.counts.topics, TOPICS_MAX);
});

test('when rings need room, the least recently used idle topic goes, but not within its first minute', () => {
  using stage = new Stage(1, 100_000);
  const { engine } = stage;
  const presses = [1, 2, 3].map(() => new FlushPress());
  const attachments = [1, 2, 3].map((size) => stage.attach(spec(size), new Listener()));
  for (const [index, press] of presses.entries()) {
    engine.goLive(index + 1, press);
    for (let step = 0; step < 3; step += 1) engine.publish(index + 1, press, 4_000);
  }
  attachments[1]?.detach();
  attachments[0]?.detach();
  for (let step = 0; step < 20; step += 1) engine.publish(3, presses[2]!, 4_000);
  assert.deepEqual(stage.hub.counts, { topics: 3, idleTopics: 2 });
  stage.clock.advance(IDLE_GRACE_MS);
  for (let step = 0; step < 2; step += 1) engine.publish(3, presses[2]!, 4_000);
  assert.deepEqual(engine.sent.at(-1), { t: 'close', topic: 2 });
  assert.ok(stage.hub.metrics.ringBytes <= 100_000);
});

test('a failed topic ends its subscribers with INTERNAL and is opened afresh by the next one', () => {
  using stage = new Stage();
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

test('an engine that goes back in a topic loses it', () => {
  using stage = new Stage();
  const { engine } = stage;
  const press = new FlushPress();
  const listener = new Listener();
  stage.attach(spec(1), listener);
  engine.goLive(1, press);
  engine.publish(1, press);
  engine.publish(1, new FlushPress());
  assert.deepEqual(listener.heard, ['stale', 'ready', 'INTERNAL']);
  assert.deepEqual(engine.kinds(), ['open', 'close']);
  assert.equal(stage.hub.metrics.ringBytes, 0);
});

test('a lost engine ends everything; the next one starts without its memory', () => {
  using stage = new Stage();
  const one = new Listener();
  stage.attach(spec(1), one);
  const { hear, lose } = stage.engine;
  lose(new Error('gone'));
  assert.deepEqual(one.heard, ['down', 'INTERNAL']);
  assert.equal(stage.hub.state, 'down');
  assert.equal(stage.refusal(spec(1)), 'SOURCE_DOWN');
  const next = new Engine();
  stage.hub.replace(0, next.link);
  assert.equal(stage.hub.state, 'up');
  const two = new Listener();
  stage.attach(spec(1), two);
  hear({ t: 'failed', topic: 2 });
  assert.deepEqual([next.sent.length, two.heard], [1, []]);
});

test('topics are spread by contract, and the loss of one engine ends its own only', () => {
  using stage = new Stage(3);
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
  // They subscribe again, and the engines that are left compute what they ask for.
  const before = stage.engines.map(({ sent }) => sent.length);
  for (const contract of contracts) stage.attach({ ...spec(1), contract }, new Listener());
  assert.equal(stage.engines[1]!.sent.length, before[1]);
  const replacement = new Engine();
  stage.hub.replace(1, replacement.link);
  for (const contract of contracts) stage.attach({ ...spec(3), contract }, new Listener());
  assert.deepEqual(
    replacement.sent.map((command) => command.t === 'open' && command.spec.contract),
    contracts.filter((contract) => homes.get(contract) === 1),
  );
});

test('tape time is the least of all engines, never goes back, and days come later to delayed streams', () => {
  using stage = new Stage(2);
  const [one, two] = stage.engines;
  const days: string[] = [];
  stage.hub.onTapeDay((day) => days.push(`now ${day}`));
  stage.hub.onTapeDay((day) => days.push(`delayed ${day}`), 600);
  const midnight = epochNs(addDays(DAY, 1), 0);
  const pulse = (engine: Engine | undefined, seconds: number) => {
    const promise = (midnight + BigInt(seconds) * 1_000_000_000n) as EpochNs;
    engine?.hear({ t: 'pulse', promise, topics: [] });
  };
  pulse(one, -1);
  pulse(two, -2);
  assert.deepEqual(days.splice(0), ['now 20261112', 'delayed 20261112']);
  pulse(one, 1);
  assert.equal(stage.hub.tapeDay, 20261112);
  pulse(two, 1);
  pulse(one, 2);
  assert.deepEqual(days.splice(0), ['now 20261113']);
  assert.deepEqual([stage.hub.tapeDayOf(0), stage.hub.tapeDayOf(600)], [20261113, 20261112]);
  two?.lose(new Error('gone'));
  const next = new Engine();
  stage.hub.replace(1, next.link);
  pulse(next, -5);
  assert.deepEqual([days, stage.hub.tapeDay], [[], 20261113]);
  pulse(next, 601);
  pulse(one, 602);
  assert.deepEqual(days, ['delayed 20261113']);
});

test('stale, down, closed and the way back are told once each; a delayed stream by its own time', () => {
  using stage = new Stage();
  const { engine, clock, hub } = stage;
  const [now, later] = [new Listener(), new Listener()];
  const attachments = [stage.attach(spec(1), now), stage.attach(spec(1, 600), later)];
  const pass = (seconds: number, isSilent = false) => {
    for (let second = 0; second < seconds; second += 1) {
      clock.advance(1_000);
      const topics = [1, 2].map((topic) => ({ topic, position: null, lagMs: 0 }));
      if (!isSilent) engine.hear({ t: 'pulse', promise: clock.now(), topics });
    }
  };
  pass(1);
  for (const topic of [1, 2]) engine.hear({ t: 'ready', topic, warm: true, lagMs: 0 });
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
  hub.setSource('down');
  hub.setSource('down');
  pass(3);
  hub.setSource('up');
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
  using stage = new Stage();
  const listener = new Listener();
  stage.attach(spec(1), listener);
  stage.hub.setSource('down');
  assert.deepEqual(
    [stage.refusal(spec(1)), stage.refusal(spec(2))],
    ['SOURCE_DOWN', 'SOURCE_DOWN'],
  );
  assert.deepEqual(listener.heard, ['down']);
  stage.hub.setSource('up');
  assert.equal(stage.refusal(spec(2)), null);
});

test('the listing shows every topic as it stands', () => {
  using stage = new Stage();
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
