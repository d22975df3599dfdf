import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSessionTable } from '@tapeloom/core/calendar/session-table';
import { epochNs, utcDay } from '@tapeloom/core/utc-day';
import { ManualClock } from '../../../../simulation/manual-clock.ts';
import type { EngineCommand, EngineMessage, TopicSpec } from './engine-link.ts';
import type { Subscriber } from './topic.ts';
import { TOPIC_LINGER_MS, TOPICS_MAX, TopicHub } from './topic-hub.ts';

const DAY = utcDay(20261112);
const OPEN = epochNs(DAY, 36_000_000_000_000);
const SESSIONS = createSessionTable([
  { date: DAY, open: OPEN, close: epochNs(DAY, 72_000_000_000_000) },
]);

function spec(size: number): TopicSpec {
  return { contract: 'ESZ6', indicator: 'bars', params: { size }, delaySeconds: 0 };
}

/** A hub whose engine is played by the test. */
class Stage implements Disposable {
  readonly clock = new ManualClock(OPEN);
  readonly sent: EngineCommand[] = [];
  readonly hub = new TopicHub({
    clock: this.clock,
    timers: this.clock,
    fullSessions: () => SESSIONS,
  });
  hear: (message: EngineMessage) => void = () => {};
  lose: (cause: Error) => void = () => {};

  constructor() {
    this.hub.connect({
      send: (command) => this.sent.push(command),
      listen: (hear, lost) => {
        this.hear = hear;
        this.lose = lost;
      },
    });
  }

  attach(of: TopicSpec, subscriber: Subscriber) {
    const attachment = this.hub.attach(of, subscriber);
    assert.ok('topic' in attachment, JSON.stringify(attachment));
    return attachment;
  }

  kinds(): readonly string[] {
    return this.sent.map((command) => command.t);
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

  constructor(depth = 500) {
    this.depth = depth;
  }

  ready = () => this.heard.push('ready');
  snapshot = () => this.heard.push('snapshot');
  flush = () => this.heard.push('flush');
  status = (state: string) => this.heard.push(state);
  ended = (code: string) => this.heard.push(code);
}

const FRAMES = { entries: [], bytes: new Uint8Array() };

test('equal subscriptions share a topic and a snapshot, and follow from it on', () => {
  using stage = new Stage();
  const [a, b, other, late] = [new Listener(), new Listener(), new Listener(7), new Listener()];
  const attachments = [a, b, other].map((it) => stage.attach(spec(1), it));
  stage.hear({ t: 'pulse', promise: OPEN, topics: [{ topic: 1, position: null, lagMs: 3 }] });
  stage.hear({ t: 'ready', topic: 1, warm: true, lagMs: 0 });
  for (const attachment of attachments) attachment.requestSnapshot();
  assert.deepEqual(stage.kinds(), ['open', 'snapshot', 'snapshot']);
  stage.hear({ t: 'flush', topic: 1, position: '20261112.1.1', ...FRAMES });
  stage.hear({ t: 'snapshot', topic: 1, request: 1, ...FRAMES });
  stage.attach(spec(1), late);
  stage.hear({ t: 'flush', topic: 1, position: '20261112.2.1', ...FRAMES });
  assert.deepEqual(a.heard, ['live', 'ready', 'snapshot', 'flush']);
  assert.deepEqual(b.heard, a.heard);
  assert.deepEqual(other.heard, ['live', 'ready']);
  assert.deepEqual(late.heard, []);
  assert.equal(attachments[0]?.topic.position, '20261112.2.1');
});

test('a topic lingers after its last subscriber, and is found again meanwhile', () => {
  using stage = new Stage();
  stage.attach(spec(1), new Listener()).detach();
  stage.clock.advance(TOPIC_LINGER_MS - 1);
  const again = stage.attach(spec(1), new Listener());
  stage.clock.advance(TOPIC_LINGER_MS);
  assert.deepEqual(stage.kinds(), ['open']);
  again.detach();
  again.detach();
  stage.clock.advance(TOPIC_LINGER_MS);
  assert.deepEqual(stage.kinds(), ['open', 'close']);
  assert.deepEqual(stage.hub.counts, { topics: 0, idleTopics: 0 });
});

test('at the limit of topics an idle one makes room, else a new one is refused with CAPACITY', () => {
  using stage = new Stage();
  const attachments = Array.from({ length: TOPICS_MAX }, (_, size) =>
    stage.attach(spec(size + 1), new Listener()),
  );
  const refusal = stage.hub.attach(spec(TOPICS_MAX + 1), new Listener());
  assert.ok('code' in refusal && refusal.code === 'CAPACITY');
  attachments[5]?.detach();
  stage.attach(spec(TOPICS_MAX + 1), new Listener());
  assert.deepEqual(stage.sent.at(-2), { t: 'close', topic: 6 });
  assert.equal(stage.hub.counts.topics, TOPICS_MAX);
});

test('a failed topic ends its subscribers with INTERNAL and is opened afresh by the next one', () => {
  using stage = new Stage();
  const [one, two] = [new Listener(), new Listener()];
  const attachment = stage.attach(spec(1), one);
  stage.attach(spec(2), two);
  stage.hear({ t: 'failed', topic: 1 });
  stage.hear({ t: 'flush', topic: 1, position: '20261112.1.1', ...FRAMES });
  attachment.requestSnapshot();
  attachment.detach();
  assert.deepEqual([one.heard, two.heard], [['INTERNAL'], []]);
  stage.attach(spec(1), new Listener());
  assert.deepEqual(stage.kinds(), ['open', 'open', 'open']);
});

test('a lost engine ends everything; the next one starts without its memory', () => {
  using stage = new Stage();
  const one = new Listener();
  stage.attach(spec(1), one);
  const { hear, lose } = stage;
  lose(new Error('gone'));
  assert.deepEqual(one.heard, ['down', 'INTERNAL']);
  assert.equal(stage.hub.state, 'down');
  const refusal = stage.hub.attach(spec(1), one);
  assert.ok('code' in refusal && refusal.code === 'SOURCE_DOWN');
  const sent: EngineCommand[] = [];
  stage.hub.connect({ send: (command) => sent.push(command), listen: () => {} });
  const two = new Listener();
  stage.attach(spec(1), two);
  hear({ t: 'failed', topic: 2 });
  assert.deepEqual([sent.length, two.heard], [1, []]);
});
