/**
 * Days that arrive behind a shared tape: while clients move between nodes, none resumes from other computations'
 * cursors.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  DEEP,
  PAST_DAY,
  type ServingNode,
  ServingWorld,
  SHALLOW,
} from '../../../testing/tape/serving-nodes.ts';
import { parseEpochs, type StreamEpochs } from '../../topics/epoch-floors.ts';

function epochsOf({ tape }: ServingNode): StreamEpochs {
  const { floors } = tape.book;
  return (floors === null ? null : parseEpochs(floors, [])) ?? { computations: {}, floors: [] };
}

function isSettled(node: ServingNode): boolean {
  const { coming, settling, floors } = epochsOf(node);
  return (
    coming === undefined && settling === undefined && floors.some(({ day }) => day === PAST_DAY)
  );
}

/** An appending node and a following one, before anything arrives behind the tape. */
async function pair(seed: number) {
  const world = new ServingWorld(seed);
  world.mayMake = false;
  const first = await world.serving('a');
  await world.hopUntil('the first one appends', () => first.node.isLeading);
  const second = await world.serving('b');
  await world.hopUntil('the second one is there', () => second.show(DEEP) !== null);
  await world.hopFor(2_000);
  return { world, first, second };
}

/** Every given node shows the stream with the day, and clients resume from cursors of any of them. */
async function goesOn(world: ServingWorld, ...nodes: readonly ServingNode[]): Promise<void> {
  await world.hopUntil('all show the day', () =>
    nodes.every((node) => node.show(DEEP)?.withDay === true),
  );
  await world.hopFor(3_000);
  for (const by of nodes) {
    const shown = by.show(DEEP)!;
    await world.hopFor(500);
    for (const at of nodes) assert.equal(at.resetOf(DEEP, shown), null, by.node.name);
  }
}

test('a day that is made behind the tape ends older cursors at one place on all nodes [DET-23]', async () => {
  for (const seed of [1, 2]) {
    const { world, first, second } = await pair(seed);
    const before = first.show(DEEP)!;
    assert.equal(second.resetOf(DEEP, before), null);
    world.mayMake = true;
    await world.hopUntil('it is named', () => epochsOf(second).coming !== undefined);
    await world.hopFor(10);
    assert.equal(second.resetOf(DEEP, before), 'source_gap');
    assert.equal(second.resetOf(SHALLOW, before), null, 'what does not look back goes on');
    await world.hopUntil('it is settled', () => isSettled(first) && isSettled(second));
    assert.deepEqual(epochsOf(first).floors, epochsOf(second).floors);
    assert.equal(first.resetOf(DEEP, before), 'source_gap');
    await goesOn(world, first, second);
  }
});

test('it is not made before every node knows, though nobody trades [DET-23]', async () => {
  const { world, first, second } = await pair(4);
  world.untilOffer = world.acknowledged;
  await world.hopFor(1_000);
  second.node.stream.line.isCut = true;
  world.mayMake = true;
  await world.hopUntil('it is named', () => first.making === 'named');
  await world.hopFor(8_000);
  assert.equal(first.making, 'named');
  second.node.stream.line.isCut = false;
  await world.hopUntil('it is made', () => first.making === 'made');
  await world.hopUntil('it is settled', () => isSettled(second));
});

test('a node that cannot fetch it is waited for, then stops showing what it matters to until it can', async () => {
  const { world, first, second } = await pair(5);
  second.isCutFromObjects = true;
  world.mayMake = true;
  await world.hopUntil('it is made', () => first.making === 'made');
  await world.hopFor(60_000);
  assert.ok(!isSettled(first));
  assert.equal(second.show(DEEP)?.withDay, false);
  await world.hopUntil('it is settled', () => isSettled(first) && isSettled(second));
  assert.equal(second.show(DEEP), null);
  assert.notEqual(second.show(SHALLOW), null);
  second.isCutFromObjects = false;
  await goesOn(world, first, second);
});

test('a node that died is not waited for, and one that only the register has lost mixes nothing either', async () => {
  for (const isDead of [true, false]) {
    const { world, first, second } = await pair(6);
    second.isCutFromObjects = true;
    world.mayMake = true;
    await world.hopUntil('it is made', () => first.making === 'made');
    if (isDead) second.kill();
    else second.isCutFromRegister = true;
    const from = world.time.ms;
    await world.hopUntil('it is settled', () => isSettled(first));
    assert.ok(world.time.ms - from < 100_000);
    second.isCutFromObjects = false;
    second.isCutFromRegister = false;
    if (isDead) await second.start();
    await goesOn(world, first, second);
  }
});

test('a node that joins meanwhile shows nothing without the days that are settled', async () => {
  for (const when of ['named', 'made', 'settled'] as const) {
    const { world, first, second } = await pair(7);
    if (when === 'named') second.node.stream.line.isCut = true;
    else second.isCutFromObjects = when === 'made';
    world.mayMake = true;
    if (when === 'settled') await world.hopUntil('it is settled', () => isSettled(first));
    else await world.hopUntil(`it is ${when}`, () => first.making === when);
    const third = await world.serving('c');
    await world.hopFor(2_000);
    second.node.stream.line.isCut = false;
    second.isCutFromObjects = false;
    await world.hopUntil('it is settled', () => isSettled(first) && isSettled(third));
    await goesOn(world, first, second, third);
  }
});

test('whoever appends next goes on where the one before has left it [DET-23]', async () => {
  for (const when of ['named', 'made', 'listed', 'settling'] as const) {
    const { world, first, second } = await pair(8);
    const isThen = () => {
      if (when === 'listed') return first.tape.book.days.ESZ6?.[PAST_DAY] !== undefined;
      if (when === 'settling') return epochsOf(first).settling !== undefined;
      return first.making === when;
    };
    world.mayMake = true;
    await world.hopUntil(`it is ${when}`, isThen);
    first.kill();
    await world.hopUntil('the next one appends', () => second.node.isLeading);
    await world.hopFor(1_000);
    await first.start();
    await world.hopUntil('it is settled', () => isSettled(first) && isSettled(second));
    await goesOn(world, first, second);
  }
});

test('under a leader that names no days, a node shows nothing without a day that is listed', async () => {
  const { world, first, second } = await pair(9);
  second.isCutFromObjects = true;
  world.isNamed = false;
  world.mayMake = true;
  // No client moves meanwhile: such a leader has not announced what it computes with.
  await world.until('it is listed', () => first.tape.book.days.ESZ6?.[PAST_DAY] !== undefined);
  await world.until('the other one has read so', () => second.show(DEEP) === null);
  assert.equal(epochsOf(second).coming, undefined);
  second.isCutFromObjects = false;
  await world.until('it has the day', () => second.show(DEEP)?.withDay === true);
});

test('a day that is damaged on one node: it shows nothing without it, fetches it again, and ends no cursor of the others [DET-23]', async () => {
  for (const isOfLeader of [false, true]) {
    const { world, first, second } = await pair(10);
    world.mayMake = true;
    await world.hopUntil('it is settled', () => isSettled(first) && isSettled(second));
    await goesOn(world, first, second);
    const [node, other] = isOfLeader ? [first, second] : [second, first];
    node.isCutFromObjects = true;
    const before = other.show(DEEP)!;
    await node.meetDamage();
    assert.equal(node.show(DEEP), null);
    assert.equal(node.resetOf(DEEP, before), 'source_gap');
    assert.notEqual(node.show(SHALLOW), null);
    await world.hopFor(10_000);
    assert.equal(node.show(DEEP), null, 'nothing is shown until the day is back');
    assert.deepEqual(node.tape.report.daysDamaged, [{ symbol: 'ESZ6', day: PAST_DAY }]);
    assert.equal(other.show(DEEP)?.withDay, true);
    node.isCutFromObjects = false;
    await goesOn(world, first, second);
    assert.equal(node.resetOf(DEEP, before), null, 'what others have issued is good');
    assert.equal(node.tape.report.daysDamaged, undefined);
  }
});

/**
 * Which node is damaged, after how long, how long it cannot fetch objects, and how long it is left alone afterwards.
 */
const damages = fc.array(
  fc.record({
    isOfLeader: fc.boolean(),
    afterMs: fc.nat(1_500),
    cutMs: fc.option(fc.nat(3_000), { nil: null }),
    leftMs: fc.nat(1_500),
  }),
  { minLength: 1, maxLength: 5 },
);

test('wherever and whenever days get damaged, no client ever goes on from what another node computed otherwise [DET-23]', async () => {
  const held = fc.asyncProperty(fc.integer({ min: 1, max: 1_000 }), damages, async (seed, all) => {
    const { world, first, second } = await pair(seed);
    world.mayMake = true;
    await world.hopUntil('it is settled', () => isSettled(first) && isSettled(second));
    for (const { isOfLeader, afterMs, cutMs, leftMs } of all) {
      const node = isOfLeader ? first : second;
      await world.hopFor(afterMs);
      node.isCutFromObjects = cutMs !== null;
      if (node.hasDay) await node.meetDamage();
      await world.hopFor(cutMs ?? 0);
      node.isCutFromObjects = false;
      await world.hopFor(leftMs);
    }
    await goesOn(world, first, second);
  });
  await fc.assert(held, { numRuns: 8 });
});
