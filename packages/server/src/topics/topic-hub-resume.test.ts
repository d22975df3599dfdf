import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EpochNs } from '@tapeloom/core/numbers';
import { cursorsIn, FlushPress } from '../../testing/stream/published-flushes.ts';
import { Listener, MIDNIGHT, READY, spec, TopicStage } from '../../testing/stream/topic-stage.ts';
import { TEST_DATASET } from '../../testing/tape/one-dataset.ts';
import { IDLE_GRACE_MS } from './idle-topics.ts';

const at = (promise: EpochNs) => new Map([[TEST_DATASET, promise]]);

test('whoever comes back gets from the ring what was published while nobody listened, then follows', () => {
  using stage = new TopicStage();
  const { engine } = stage;
  const press = new FlushPress();
  const since = press.floor;
  const early = stage.attach(spec(1), new Listener(), since);
  assert.deepEqual(engine.sent, [{ t: 'open', topic: 1, spec: spec(1), since, accounts: ['one'] }]);
  assert.deepEqual([early.floor, early.pull(since, 1e6)], [null, null]);
  engine.hear({ t: 'live', topic: 1, floor: press.floor });
  engine.publish(1, press);
  engine.hear({ t: 'ready', topic: 1, position: MIDNIGHT, ...READY });
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
  using stage = new TopicStage(1, 200_000);
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
  using stage = new TopicStage();
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
  using stage = new TopicStage();
  const { engine } = stage;
  const press = new FlushPress();
  const attachment = stage.attach(spec(1, 600), new Listener());
  const from = press.floor;
  engine.goLive(1, press);
  engine.publish(1, press);
  const pulse = (minutes: number) => {
    const promise = (press.edge + BigInt(minutes) * 60_000_000_000n) as EpochNs;
    const topics = [{ topic: 1, position: '20261112.90.0', lagMs: 0 }];
    engine.hear({ t: 'pulse', watermarks: at(promise), topics });
  };
  pulse(25);
  assert.ok(stage.hub.metrics.ringBytes > 0, 'it is ten minutes younger for a delayed topic');
  pulse(27);
  assert.equal(stage.hub.metrics.ringBytes, 0);
  assert.equal(attachment.pull(from, 1e6), null);
  const piece = attachment.pull(press.published.at(-1)!.cursor, 1e6);
  assert.deepEqual([piece?.flushes, piece?.isNewest], [[], true]);
});

test('when rings need room, the least recently used idle topic goes, but not within its first minute', () => {
  using stage = new TopicStage(1, 100_000);
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

test('an engine that goes back in a topic loses it', () => {
  using stage = new TopicStage();
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
