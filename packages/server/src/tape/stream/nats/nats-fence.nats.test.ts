import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { LineProxy } from '../../../../../../simulation/network/line-proxy.ts';
import { natsServerMissing } from '../../../../testing/tape/find-nats-server.ts';
import { NatsServers } from '../../../../testing/tape/nats-servers.ts';
import { makeTape, openTape } from '../../../../testing/tape/nats-tape-rig.ts';
import { createClock } from '../../../platform/system-clock.ts';
import { FencedWriter } from '../fenced-writer.ts';
import { FencedError } from '../stream-errors.ts';
import type { StoredMessage, TapeStream } from '../tape-stream.ts';
import type { NatsTape } from './open-nats-tape.ts';

const WRITERS = 6;
const clock = createClock({ kind: 'system' });
const bytes = (text: string) => Buffer.from(text);

/** All of them publish at once, repeatedly. */
async function race(tapes: readonly NatsTape[], races: number): Promise<void> {
  const [first] = tapes;
  let { last } = await first!.stream.ends();
  for (let round = 0; round < races; round++) {
    const said = await Promise.all(
      tapes.map(({ stream }, index) =>
        stream.publish({ subject: 'record', writer: `w${index}.1`, body: bytes(`${round}`) }, last),
      ),
    );
    const won = said.flatMap((one, index) => (one.outcome === 'stored' ? [{ ...one, index }] : []));
    const unheard = said.filter(({ outcome }) => outcome === 'unknown').length;
    const what = `race ${round}: ${JSON.stringify(said)}`;
    // On a busy machine a response may be late: then the message is stored, or another writer has its position.
    if (unheard === 0) assert.equal(won.length, 1, what);
    else assert.ok(won.length <= 1, what);
    for (const { sequence } of won) assert.equal(sequence, last + 1);
    const refused = said.filter(({ outcome }) => outcome === 'otherEnd').length;
    assert.equal(won.length + unheard + refused, said.length, what);
    last += 1;
    if (round % 50 === 0 || unheard > 0) {
      const stored = await first!.stream.read(last);
      if (won.length > 0) assert.equal(stored?.writer, `w${won[0]!.index}.1`);
      else assert.equal(Buffer.from(stored?.body ?? []).toString(), `${round}`, what);
    }
  }
  assert.deepEqual((await first!.stream.ends()).last, last);
}

async function everything(stream: TapeStream): Promise<readonly StoredMessage[]> {
  const { first, last } = await stream.ends();
  const all: StoredMessage[] = [];
  for (let sequence = first; sequence <= last; sequence++) all.push((await stream.read(sequence))!);
  return all;
}

const textsOf = async (stream: TapeStream) =>
  (await everything(stream)).map(({ body }) => Buffer.from(body).toString());

describe('the fence of one server', { skip: natsServerMissing }, () => {
  let servers: NatsServers;
  let datasets = 0;
  before(async () => {
    servers = await NatsServers.start();
  });
  after(() => servers[Symbol.asyncDispose]());

  /** A tape with a writer behind a proxy that can hold its connection, and a reader beside it. */
  async function heldWriter() {
    const dataset = `held${datasets++}`;
    await makeTape(servers, dataset);
    const stack = new AsyncDisposableStack();
    const proxy = stack.use(await LineProxy.before(servers.urls[0]!));
    const far = stack.use(await openTape(servers, dataset, [proxy.url]));
    const near = stack.use(await openTape(servers, dataset));
    const writer = new FencedWriter({ stream: far.stream, clock, writer: 'a.1', last: 0 });
    await writer.append('claim', bytes(''));
    return { stack, proxy, near: near.stream, writer };
  }

  test('of six who publish at once one wins, in each of 2,000 races', async () => {
    await makeTape(servers, 'race');
    await using stack = new AsyncDisposableStack();
    const tapes: NatsTape[] = [];
    for (let index = 0; index < WRITERS; index++)
      tapes.push(stack.use(await openTape(servers, 'race')));
    await race(tapes, 2_000);
  });

  test('a message whose acknowledgement is lost with the line is stored once', async () => {
    const { stack, proxy, near, writer } = await heldWriter();
    await using _ = stack;
    proxy.hold('toClient');
    const appended = writer.append('record', bytes('one'));
    while ((await near.ends()).last < 2) await wait(5);
    proxy.cut();
    assert.equal(await appended, 2);
    assert.equal(await writer.append('record', bytes('two')), 3);
    assert.deepEqual(await textsOf(near), ['', 'one', 'two']);
  });

  test('a message whose acknowledgement is late is stored once', async () => {
    const { stack, proxy, near, writer } = await heldWriter();
    await using _ = stack;
    proxy.hold('toClient');
    const appended = writer.append('record', bytes('one'));
    await wait(1_200);
    proxy.letGo();
    assert.equal(await appended, 2);
    assert.equal(await writer.append('record', bytes('two')), 3);
    assert.deepEqual(await textsOf(near), ['', 'one', 'two']);
  });

  test('a message that never left is stored once', async () => {
    const { stack, proxy, near, writer } = await heldWriter();
    await using _ = stack;
    proxy.hold('toServer');
    const appended = writer.append('record', bytes('one'));
    await wait(50);
    proxy.cut();
    assert.equal(await appended, 2);
    assert.deepEqual(await textsOf(near), ['', 'one']);
  });

  test('a message that arrives long after its writer has stored it by another line is refused', async () => {
    const { stack, proxy, near, writer } = await heldWriter();
    await using _ = stack;
    proxy.hold('toServer');
    const appended = writer.append('record', bytes('one'));
    await wait(50);
    proxy.cutClients();
    assert.equal(await appended, 2);
    proxy.letGo();
    await wait(100);
    assert.equal(await writer.append('record', bytes('two')), 3);
    assert.deepEqual(await textsOf(near), ['', 'one', 'two']);
  });

  test('a writer whose message arrives after another’s claim is fenced, and its message refused', async () => {
    const { stack, proxy, near, writer } = await heldWriter();
    await using _ = stack;
    proxy.hold('toServer');
    const fenced = assert.rejects(writer.append('record', bytes('stale')), FencedError);
    await wait(50);
    const other = new FencedWriter({ stream: near, clock, writer: 'b.2', last: 1 });
    await other.append('claim', bytes(''));
    proxy.letGo();
    await fenced;
    await other.append('record', bytes('new'));
    assert.deepEqual(await textsOf(near), ['', '', 'new']);
  });

  test('a message that arrives late and in time for its place is its writer’s, though it had given up on it', async () => {
    const { stack, proxy, near, writer } = await heldWriter();
    await using _ = stack;
    proxy.hold('toServer');
    const appended = writer.append('record', bytes('one'));
    await wait(1_300);
    proxy.letGo();
    assert.equal(await appended, 2);
    assert.deepEqual(await textsOf(near), ['', 'one']);
  });

  test('a server that is killed in the middle of appends has kept what it acknowledged', async () => {
    await makeTape(servers, 'killed');
    await using tape = await openTape(servers, 'killed');
    const writer = new FencedWriter({ stream: tape.stream, clock, writer: 'a.1', last: 0 });
    const acknowledged: number[] = [];
    const appending = (async () => {
      for (let number = 1; number <= 400; number++) {
        acknowledged.push(await writer.append('record', bytes(`${number}`)));
      }
    })();
    for (let kill = 0; kill < 2; kill++) {
      await wait(100);
      await servers.kill(0);
      await servers.startAll();
    }
    await appending;
    assert.deepEqual(
      acknowledged,
      Array.from({ length: 400 }, (_, index) => index + 1),
    );
    // The writer's connection may still be recovering from the last kill.
    await using reader = await openTape(servers, 'killed');
    assert.deepEqual(await textsOf(reader.stream), acknowledged.map(String));
  });
});

describe('the fence of three servers', { skip: natsServerMissing }, () => {
  test('of six who publish at once one wins, in each of 500 races', async () => {
    await using servers = await NatsServers.start({ count: 3 });
    await makeTape(servers, 'race');
    await using stack = new AsyncDisposableStack();
    const tapes: NatsTape[] = [];
    for (let index = 0; index < WRITERS; index++) {
      const tape = await openTape(servers, 'race', [servers.urls[index % 3]!]);
      tapes.push(stack.use(tape));
    }
    await race(tapes, 500);
  });
});
