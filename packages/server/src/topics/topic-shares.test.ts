import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { FlushPress } from '../../testing/stream/published-flushes.ts';
import { type Attachment, Listener, spec, TopicStage } from '../../testing/stream/topic-stage.ts';
import { PLACES_KEPT, PLACES_KEPT_EACH, TOPICS_MAX } from './topic-places.ts';

/** The numbers of the topics that ended, in their order. */
function closed(stage: TopicStage): readonly number[] {
  return stage.engine.sent.filter((it) => it.t === 'close').map(({ topic }) => topic);
}

test('a topic that nobody watches and that never was ready ends at once [SEC-37]', () => {
  using stage = new TopicStage();
  const [one, other] = [new Listener(), new Listener()].map((it) => stage.attach(spec(1), it));
  one!.detach();
  assert.deepEqual(closed(stage), []);
  other!.detach();
  assert.deepEqual(closed(stage), [1]);
  assert.deepEqual(stage.hub.counts, { topics: 0, idleTopics: 0 });
  assert.equal(stage.hub.metrics.topicsEndedTotal.unready, 1);
});

test('an account keeps so many idle topics and no more; its least recently used one goes [SEC-37]', () => {
  using stage = new TopicStage();
  for (let size = 1; size <= 5; size += 1) {
    const listener = new Listener(500, 'one');
    listener.idleTopicsMax = 3;
    const attachment = stage.attach(spec(size), listener);
    stage.engine.goLive(size, new FlushPress());
    attachment.detach();
  }
  stage.watched(spec(6), 'two').detach();
  assert.deepEqual(closed(stage), [1, 2]);
  assert.equal(stage.hub.metrics.topicsEndedTotal.account, 2);
  assert.equal(stage.hub.metrics.idleTopicsOfLargest, 3);
});

test('while memory is short idle topics end that nobody came back to for 20 seconds, and watched ones stay [SEC-37]', () => {
  using stage = new TopicStage();
  const attachments = [1, 2, 3].map((size) => stage.watched(spec(size), `account ${size}`));
  attachments[0]!.detach();
  stage.clock.advance(15_000);
  attachments[1]!.detach();
  assert.equal(stage.hub.freeIdle(), 0);
  stage.clock.advance(5_000);
  assert.equal(stage.hub.freeIdle(), 1);
  assert.deepEqual(closed(stage), [1]);
  stage.clock.advance(60_000);
  assert.equal(stage.hub.freeIdle(), 1);
  assert.deepEqual(closed(stage), [1, 2]);
  assert.deepEqual(stage.hub.counts, { topics: 1, idleTopics: 0 });
  assert.equal(stage.hub.metrics.topicsEndedTotal.memory, 2);
});

test('an idle topic is its last watcher’s', () => {
  using stage = new TopicStage();
  const first = stage.watched(spec(1), 'one');
  const second = stage.attach(spec(1), new Listener(500, 'two'));
  const last = new Listener(500, 'three');
  last.idleTopicsMax = 0;
  const third = stage.attach(spec(1), last);
  first.detach();
  second.detach();
  third.detach();
  assert.deepEqual(closed(stage), [1]);
});

test('at the limit of topics the account with most idle ones loses its least recently used [SEC-37]', () => {
  using stage = new TopicStage();
  const attachments = Array.from({ length: TOPICS_MAX }, (_, size) =>
    stage.watched(spec(size + 1), size < 3 ? 'few' : size < 10 ? 'many' : `watches ${size}`),
  );
  for (const index of [0, 1, 2, 9, 8, 7, 6, 5, 4, 3]) attachments[index]!.detach();
  for (let size = 1; size <= 4; size += 1) stage.watched(spec(TOPICS_MAX + size), `new ${size}`);
  assert.deepEqual(closed(stage), [10, 9, 8, 7], 'of many, until it has no more than few');
  assert.equal(stage.hub.metrics.topicsEndedTotal.place, 4);
});

test('whoever watches much leaves the last places to those who watch little [SEC-37]', () => {
  using stage = new TopicStage();
  const much = TOPICS_MAX - PLACES_KEPT;
  for (let size = 1; size <= much; size += 1) stage.watched(spec(size), `one of ${size % 36}`);
  const of = (account: string) => new Listener(500, account);
  assert.equal(stage.refusal(spec(much + 1), of('one of 1')), 'CAPACITY');
  for (let each = 1; each <= PLACES_KEPT_EACH; each += 1) stage.watched(spec(much + each), 'new');
  assert.equal(stage.refusal(spec(much + 9), of('new')), 'CAPACITY');
  assert.equal(stage.refusal(spec(1), of('one of 1')), null, 'what is computed has its place');
  assert.equal(stage.hub.metrics.opensRefusedTotal.place, 2);
});

test('an open that its subscriber is refused for its rate begins nothing and takes no place', () => {
  using stage = new TopicStage();
  const listener = new Listener();
  listener.refuseOpen = () => ({ code: 'RATE_LIMITED', message: 'Later.' });
  assert.equal(stage.refusal(spec(1), listener), 'RATE_LIMITED');
  assert.deepEqual(stage.engine.kinds(), []);
  stage.watched(spec(1), 'other');
  assert.equal(stage.refusal(spec(1), listener), null, 'it is computed already');
  assert.equal(stage.hub.metrics.opensRefusedTotal.rate, 1);
});

test('the engine hears who waits for a topic until it is ready', () => {
  using stage = new TopicStage();
  const [a, b, again] = ['a', 'b', 'b'].map((account) =>
    stage.attach(spec(1), new Listener(500, account)),
  );
  a!.detach();
  b!.detach();
  stage.engine.goLive(1, new FlushPress());
  stage.attach(spec(1), new Listener(500, 'c'));
  again!.detach();
  assert.deepEqual(stage.engine.sent, [
    { t: 'open', topic: 1, spec: spec(1), since: null, accounts: ['a'] },
    { t: 'wanted', topic: 1, accounts: ['a', 'b'] },
    { t: 'wanted', topic: 1, accounts: ['b'] },
  ]);
});

test('when rings need room, the account with most loses, within its grace too, and others nothing [SEC-37]', () => {
  using stage = new TopicStage(1, 300_000);
  const { engine } = stage;
  const calm = new FlushPress();
  const attachments: Attachment[] = [stage.attach(spec(1), new Listener(500, 'calm'))];
  engine.goLive(1, calm);
  for (let step = 0; step < 10; step += 1) engine.publish(1, calm, 4_000);
  const { floor } = attachments[0]!;
  for (let size = 2; size <= 40; size += 1) {
    const attachment = stage.attach(spec(size), new Listener(500, 'greedy'));
    const press = new FlushPress();
    engine.goLive(size, press);
    for (let step = 0; step < 5; step += 1) engine.publish(size, press, 4_000);
    attachment.detach();
  }
  assert.ok(stage.hub.metrics.ringBytes <= 300_000);
  for (let step = 0; step < 10; step += 1) engine.publish(1, calm, 4_000);
  assert.equal(attachments[0]!.floor, floor, 'nothing of it has left its ring');
  assert.ok(stage.hub.metrics.topicsEndedTotal.memory > 0, 'and greedy has lost idle topics');
});

test('a ring that several watch counts for the one that has least', () => {
  using stage = new TopicStage(1, 300_000);
  const { engine } = stage;
  const shared = new FlushPress();
  stage.attach(spec(1), new Listener(500, 'greedy'));
  const held = stage.attach(spec(1), new Listener(500, 'calm'));
  engine.goLive(1, shared);
  for (let step = 0; step < 15; step += 1) engine.publish(1, shared, 4_000);
  const { floor } = held;
  const own = new FlushPress();
  stage.attach(spec(2), new Listener(500, 'greedy'));
  engine.goLive(2, own);
  for (let step = 0; step < 100; step += 1) engine.publish(2, own, 4_000);
  assert.equal(held.floor, floor, 'though it is older than all that greedy alone has');
  assert.ok(stage.hub.metrics.ringEvictionsTotal.total > 0);
});

const happening = fc.record({
  account: fc.nat(3),
  topic: fc.nat(3),
  steps: fc.integer({ min: 1, max: 8 }),
  leaves: fc.boolean(),
});

test('whoever loses memory had as much as anybody, and all rings stay within their limit [SEC-37]', () => {
  const bytesMax = 400_000;
  /** The unit of eviction: a block, or as many bytes that are no block yet. */
  const slack = 80_000;
  fc.assert(
    fc.property(fc.array(happening, { minLength: 20, maxLength: 40 }), (happenings) => {
      using stage = new TopicStage(1, bytesMax);
      const { engine } = stage;
      const presses = new Map<number, FlushPress>();
      const held = new Map<number, Attachment>();
      const bytes = () => {
        const sums = [0, 0, 0, 0];
        const ofTopic = stage.hub.topics();
        for (const { topic, ringBytes } of ofTopic) sums[Number(topic.at(-2)) - 1]! += ringBytes;
        return sums;
      };
      for (const { account, topic, steps, leaves } of happenings) {
        const size = 10 * (account + 1) + topic;
        const before = stage.engine.sent.length;
        if (!held.has(size)) {
          held.set(size, stage.attach(spec(size), new Listener(500, `account ${account}`)));
          const opened = engine.sent.slice(before).find((it) => it.t === 'open');
          if (opened !== undefined) {
            presses.set(size, new FlushPress());
            engine.goLive(opened.topic, presses.get(size)!);
          }
        }
        const number = numberOf(stage, size);
        for (let step = 0; step < steps; step += 1) {
          const had = bytes();
          engine.publish(number, presses.get(size)!, 9_000);
          const has = bytes();
          assert.ok(stage.hub.metrics.ringBytes <= bytesMax);
          const most = Math.max(...has);
          for (const [index, sum] of has.entries()) {
            if (sum < had[index]!) assert.ok(sum + slack >= most, `${had} became ${has}`);
          }
        }
        if (leaves) {
          held.get(size)!.detach();
          held.delete(size);
        }
      }
    }),
    { numRuns: 15 },
  );
});

function numberOf(stage: TopicStage, size: number): number {
  const opened = stage.engine.sent.findLast(
    (it) => it.t === 'open' && it.spec.params.size === size,
  );
  assert.ok(opened?.t === 'open');
  return opened.topic;
}
