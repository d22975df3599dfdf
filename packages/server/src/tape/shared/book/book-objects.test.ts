import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemoryObjects } from '../../../../../../simulation/stream-storage/memory-objects.ts';
import { SharedWorld } from '../../../../testing/tape/shared-nodes.ts';
import { decodeBook, emptyBook, encodeBook, objectOfBook } from '../../stream/tape-book.ts';
import { inUseAgain, sweepBooks } from './book-objects.ts';

/** Too long for a message, and different for each sign. */
const bookOf = (sign: string) => ({ ...emptyBook('x'), source: sign.repeat(300_000) });
const DAYS = 40;
const OFFERS = 6;

test('objects of books go when no message can name them any more, and never before', async () => {
  const objects = new MemoryObjects();
  const bodies = await Promise.all(
    ['a', 'b', 'c'].map((sign) => encodeBook(bookOf(sign), objects)),
  );
  const [a, b, c] = bodies.map((body) => objectOfBook(body)!);
  await objects.put('day.1', Uint8Array.of(1));
  const has = (object: string | undefined) => objects.kept.has(object!);

  // Messages 10, 20 and 30 name them; the stream begins with 5.
  await sweepBooks(objects, { newest: c!, confirm: async () => 30, first: 5 });
  assert(has(a) && has(b) && has(c), 'they are in the stream');
  await sweepBooks(objects, { newest: c!, confirm: async () => 30, first: 30 });
  assert(has(a) && has(b), 'what was noted is not purged yet');

  // The book of message 10 is appended again as 40, and then another one as 50.
  await inUseAgain(objects, a!);
  const small = await encodeBook(emptyBook('x'), objects);
  assert.equal(objectOfBook(small), null);
  await sweepBooks(objects, { newest: null, confirm: async () => 50, first: 31 });
  assert.deepEqual([has(a), has(b), has(c)], [true, false, true]);
  const fenced = async () => assert.fail('somebody else appends');
  await assert.rejects(sweepBooks(objects, { newest: null, confirm: fenced, first: 51 }));
  assert(has(a), 'one that does not append any more removes nothing');
  await sweepBooks(objects, { newest: null, confirm: async () => 60, first: 51 });
  await sweepBooks(objects, { newest: null, confirm: fenced, first: 51 });
  assert.deepEqual([has(a), has(b), has(c)], [false, false, false]);
  assert.deepEqual([...objects.kept.keys()], ['day.1'], 'nothing else is touched, no note is left');
  await assert.rejects(decodeBook(bodies[0]!, objects), /the book is not there/);
});

test('over many days the objects of long books stay few, every book of the stream can be read, and a node joins', async () => {
  const world = new SharedWorld(11, { batchRowsMax: 3, offersPerDay: OFFERS }, DAYS * OFFERS);
  const nodes = [world.node('a'), world.node('b')];
  for (const node of nodes) await node.start();
  await world.until('somebody appends', () => nodes.some(({ isLeading }) => isLeading));
  for (const { tape } of nodes) tape!.setFloors('x'.repeat(300_000));
  for (let day = 1; day <= DAYS; day++) {
    world.untilOffer = day * OFFERS;
    await world.until('a day more is fed', () => world.isFed);
    await world.time.pass(3_000);
    if (day % 5 !== 0) continue;
    // The next leader continues with the notes of this one.
    const leader = nodes.find(({ isLeading }) => isLeading)!;
    await leader.stop();
    await leader.start();
  }
  const said = new Set(nodes[0]!.books.map((book) => JSON.stringify(book)));
  const kept = [...world.objects.kept.keys()].filter((name) => name.startsWith('book.'));
  assert(said.size > 20, `${said.size} books`);
  assert(
    kept.length > 0 && kept.length < said.size / 2,
    `${kept.length} objects of ${said.size} books`,
  );
  const { stream } = nodes[0]!;
  for (let at = world.keeper.first; at <= world.keeper.last; at++) {
    const message = await world.time.until(stream.read(at));
    if (message?.subject === 'book') await decodeBook(message.body, world.objects);
  }
  const joined = world.node('c', false);
  await joined.start();
  await world.assertEqual(...nodes, joined);
  for (const node of [...nodes, joined]) {
    assert.deepEqual(node.faults, []);
    await node.stop();
  }
});
