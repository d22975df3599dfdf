import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '../../../../../simulation/clock/seeded-random.ts';
import { SharedTapeRun } from '../../../testing/tape/shared-tape-run.ts';
import { mendedClaim } from './claim-body.ts';
import { StreamPurgedError } from './stream-errors.ts';

/** Two nodes that may append, of which the first leads, and one that may not. */
async function running(seed = 1) {
  const run = new SharedTapeRun(seededRandom(seed));
  const a = run.add('a');
  await run.time.pass(3_000);
  const b = run.add('b');
  const c = run.add('c', false);
  await run.time.pass(3_000);
  assert.deepEqual(run.leaders, [a]);
  return { run, time: run.time, keeper: run.keeper, a, b, c };
}

/** Time until a node appends two more messages. */
async function msUntilAppended(run: SharedTapeRun, msMax: number): Promise<number> {
  const { last } = run.keeper;
  const start = run.time.ms;
  while (run.keeper.last < last + 2 && run.time.ms < start + msMax) await run.time.pass(50);
  return run.time.ms - start;
}

test('one appends, after two seconds of silence at its start; the others follow it', async () => {
  const { run, a, b, c, time } = await running();
  await using _ = run;
  assert.deepEqual(
    a.states.map(({ role }) => role),
    ['following', 'following', 'claiming', 'leading'],
  );
  await time.pass(10_000);
  assert.equal(run.keeper.messages.filter(({ subject }) => subject === 'claim').length, 1);
  await run.settle(100);
  assert.deepEqual([b.now.role, c.now.role], ['following', 'following']);
  assert.equal(b.succession.leader, a.succession.leader);
});

test('the next one appends within 2.5 seconds when the first is killed', async () => {
  const { run, a, b, time } = await running();
  await using _ = run;
  a.stream.line.isCut = true;
  void a.stop();
  run.nodes.splice(run.nodes.indexOf(a), 1);
  const ms = await msUntilAppended(run, 10_000);
  assert(ms > 1_900 && ms < 2_700, `${ms}`);
  assert.deepEqual(run.leaders, [b]);
  await time.pass(1_000);
  run.check();
});

test('one that slept for 20 seconds with a message on its way is refused, and follows', async () => {
  for (let seed = 1; seed <= 5; seed++) {
    const { run, a, b, time } = await running(seed);
    await using _ = run;
    await time.pass(seed * 23);
    a.clock.pause();
    await time.pass(20_000);
    assert(run.leaders.includes(b));
    a.clock.goOn();
    await time.pass(1_500);
    assert.deepEqual(run.leaders, [b]);
    assert.equal(a.now.role, 'following');
    await run.settle(1_000);
  }
});

test('one that slept does not believe that the others were silent', async () => {
  const { run, a, b, time } = await running();
  await using _ = run;
  b.clock.pause();
  await time.pass(20_000);
  b.clock.goOn();
  await time.pass(3_000);
  assert.deepEqual(run.leaders, [a]);
  assert.equal(b.succession.takeovers, 0);
});

test('a silent market is no death: heartbeats keep the others from claiming', async () => {
  const { run, a, time } = await running();
  await using _ = run;
  const before = run.keeper.last;
  a.stream.line.plan = () => ({
    arriveMs: 9_000,
    storeMs: 1,
    answerMs: 1,
    isAnswered: true,
    isForgotten: false,
  });
  await time.pass(8_000);
  assert.equal(run.keeper.last, before);
  assert.deepEqual(run.leaders, [a]);
});

test('one that knows nothing of its append for long lets others try', async () => {
  const { run, a, b, time } = await running();
  await using _ = run;
  a.stream.line.plan = () => ({
    arriveMs: 1,
    storeMs: 1,
    answerMs: 1,
    isAnswered: false,
    isForgotten: true,
  });
  await time.pass(20_000);
  assert.equal(b.now.role, 'leading');
  run.check();
  assert.equal(a.now.role, 'following');
  assert(a.succession.unknownsTotal > 5, `${a.succession.unknownsTotal}`);
  assert.equal(b.succession.unknownsTotal, 0);
});

test('one that leaves hands over at once, and never claims again', async () => {
  const { run, a, b, time } = await running();
  await using _ = run;
  const left = a.succession.leave();
  const ms = await msUntilAppended(run, 5_000);
  assert(ms < 800, `${ms}`);
  await time.until(left);
  assert.deepEqual(run.leaders, [b]);
  b.stream.line.isCut = true;
  await time.pass(15_000);
  assert.equal(a.now.role, 'following');
  await run.settle();
  assert.deepEqual(run.leaders, [b]);
});

test('one that leaves while nobody answers does not wait for ever', async () => {
  const { run, a, time } = await running();
  await using _ = run;
  a.stream.line.isCut = true;
  await time.pass(500);
  await time.until(a.succession.leave(), 8_000);
  a.heal(true);
  await time.pass(5_000);
  run.check();
});

test('one that appends nothing learns of another by its heartbeat', async () => {
  const { run, a, b, time } = await running();
  await using _ = run;
  // The first node is cut off while it is idle.
  a.stream.line.plan = () => ({
    arriveMs: 120_000,
    storeMs: 1,
    answerMs: 1,
    isAnswered: false,
    isForgotten: true,
  });
  a.stream.line.isCut = true;
  await time.pass(6_000);
  assert(run.leaders.includes(b));
  a.stream.line.isCut = false;
  await time.pass(4_000);
  assert.deepEqual(run.leaders, [b]);
});

test('a full stream is told, and gone on with when it has room', async () => {
  const { run, a, b, c, time, keeper } = await running();
  await using _ = run;
  keeper.countMax = keeper.messages.length;
  await time.pass(20_000);
  assert.deepEqual(
    [a, b]
      .map(({ now }) => now.role)
      .sort()
      .at(-1),
    'refused',
  );
  assert.equal(run.leaders.length, 0);
  keeper.countMax = Number.POSITIVE_INFINITY;
  await run.settle();
  assert.equal(c.now.role, 'following');
});

test('nobody appends to a stream that has lost what it acknowledged, until it is mended', async () => {
  const { run, a, b, c, time, keeper } = await running();
  await using _ = run;
  await time.pass(2_000);
  const lost = keeper.messages.slice(-10);
  const { last } = keeper;
  keeper.shrink(last - 10);
  await time.pass(29_000);
  assert.equal(keeper.last, last - 10);
  await time.pass(30_000);
  for (const { now } of [a, b, c])
    assert.deepEqual([now.role, 'isProved' in now && now.isProved], ['shrunk', true]);
  const claims = keeper.messages.filter(({ sequence }) => sequence > last - 10);
  assert(claims.every(({ subject, body }) => subject === 'claim' && body.length > 0));
  await time.pass(60_000);
  assert.equal(keeper.last, claims.at(-1)!.sequence);
  // Like a repair: the same records again, and then a `mended` claim.
  const stream = keeper.connect();
  for (const message of [
    ...lost,
    { ...lost[0]!, subject: 'claim' as const, body: mendedClaim() },
  ]) {
    await time.until(stream.publish({ ...message, writer: 'operator.1' }, keeper.last));
  }
  run.acknowledged.clear();
  await run.settle(10_000);
});

test('a node that starts on a stream that was lost and not mended does not append', async () => {
  const { run, keeper, time } = await running();
  await using _ = run;
  keeper.shrink(keeper.last - 5);
  await time.pass(45_000);
  const late = run.add('late');
  await time.pass(20_000);
  assert.equal(late.now.role, 'shrunk');
  assert.equal(run.leaders.length, 0);
});

test('a node that restarts behind the proof of a loss does not append either', async () => {
  const { run, b, keeper, time } = await running();
  await using _ = run;
  keeper.shrink(keeper.last - 5);
  await time.pass(60_000);
  for (const node of run.nodes) await time.until(node.stop());
  const { last } = keeper;
  b.start(last);
  b.stream.line.isCut = true;
  await time.pass(5_000);
  b.heal(false);
  await time.pass(10_000);
  assert.equal(b.now.role, 'shrunk');
  assert.equal(keeper.last, last);
});

test('a node that knows more than who appends stops it', async () => {
  const { run, a, b, c, time, keeper } = await running();
  await using _ = run;
  // A new node sees only the shortened stream and appends to it; nodes that know more prove the loss.
  for (const node of [a, b, c]) node.stream.line.isCut = true;
  await time.pass(1_500);
  keeper.shrink(keeper.last - 8);
  run.acknowledged.clear();
  const late = run.add('late');
  await time.pass(2_600);
  assert.deepEqual(late.now.role, 'leading');
  late.stream.line.isCut = true;
  await time.pass(100);
  for (const node of [a, b, c]) node.heal(false);
  await time.pass(45_000);
  late.heal(true);
  await time.pass(5_000);
  assert.deepEqual([late.now.role, b.now.role], ['shrunk', 'shrunk']);
  assert.equal(run.leaders.length, 0);
});

test('one whose next message was purged is told, not passed over', async () => {
  const { run, b, time, keeper } = await running();
  await using _ = run;
  await time.until(b.stop());
  await time.pass(2_000);
  keeper.purge(keeper.last - 2);
  b.start();
  await time.pass(500);
  assert(b.failure instanceof StreamPurgedError);
  assert.equal(b.failure.first, keeper.first);
  b.failure = null;
  b.chain = [];
});

test('nothing is left behind when it is disposed', async () => {
  const { run, time } = await running();
  await run[Symbol.asyncDispose]();
  await time.pass(2_000);
  assert.equal(time.timerCount, 0);
});
