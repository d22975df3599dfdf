import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { jetstreamManager } from '@nats-io/jetstream';
import { LineProxy } from '../../../../../../simulation/network/line-proxy.ts';
import { natsServerMissing } from '../../../../testing/tape/find-nats-server.ts';
import { NatsServers } from '../../../../testing/tape/nats-servers.ts';
import { addressOf, makeTape } from '../../../../testing/tape/nats-tape-rig.ts';
import { connectNats } from './nats-connection.ts';
import { bucketStreamName } from './nats-names.ts';
import { NatsObjects } from './nats-objects.ts';

/** For the client behind the failing proxy: long enough for a slow machine to respond where nothing is held. */
const ANSWER_MS_MAX = 2_000;
const PIECES = 3;
const LARGE = new Uint8Array(3_000_000).map((_, index) => index * 7);
const OTHER = LARGE.map((byte) => byte + 1);

describe('objects on a line that fails', { skip: natsServerMissing }, () => {
  let servers: NatsServers;
  let datasets = 0;
  before(async () => {
    servers = await NatsServers.start();
  });
  after(() => servers[Symbol.asyncDispose]());

  /** Objects behind a proxy that can hold the connection, the same without it, and the number of messages. */
  async function held() {
    const dataset = `held${datasets++}`;
    await makeTape(servers, dataset);
    const stack = new AsyncDisposableStack();
    const proxy = stack.use(await LineProxy.before(servers.urls[0]!));
    const over = async (url: string, answerMsMax?: number) => {
      const connection = await connectNats(addressOf([url]), 'test');
      stack.defer(() => connection.close());
      return await NatsObjects.over(connection, dataset, answerMsMax);
    };
    const far = await over(proxy.url, ANSWER_MS_MAX);
    const near = await over(servers.urls[0]!);
    const other = await over(servers.urls[0]!);
    return { stack, proxy, far, near, other, messages: () => messagesOf(servers, dataset) };
  }

  test('one whose last answer is lost is whole, and stays so when it is put again', async () => {
    const { stack, proxy, far, near, messages } = await held();
    await using _ = stack;
    proxy.holdAnswersTo('.M.day.1 _INBOX');
    await assert.rejects(far.put('day.1', LARGE));
    proxy.letGo();
    assert.deepEqual(await near.get('day.1'), LARGE);
    await near.put('day.1', LARGE);
    assert.deepEqual(await near.get('day.1'), LARGE);
    assert.equal(await messages(), PIECES + 1);
  });

  test('one that was put in part is not there, and is whole once it is put again', async () => {
    const { stack, proxy, far, near, messages } = await held();
    await using _ = stack;
    proxy.holdAnswersTo('.C.');
    await assert.rejects(far.put('day.1', LARGE));
    proxy.cut();
    assert.equal(await near.get('day.1'), null);
    assert.deepEqual(await near.list(''), []);
    await near.put('day.1', LARGE);
    assert.deepEqual(await near.get('day.1'), LARGE);
    assert.equal(await messages(), PIECES + 1);
  });

  test('one whose removal was cut off is refused, and is whole once it is put again', async () => {
    const { stack, proxy, far, near, messages } = await held();
    await using _ = stack;
    await near.put('day.1', LARGE);
    proxy.holdAnswersTo('PURGE');
    await assert.rejects(far.remove('day.1'));
    await assert.rejects(near.get('day.1'), /the object day\.1 is not whole/);
    await near.put('day.1', LARGE);
    assert.deepEqual(await near.get('day.1'), LARGE);
    await near.remove('day.1');
    assert.equal(await near.get('day.1'), null);
    assert.equal(await messages(), 0);
  });

  test('pieces that arrive long after another has put the object change nothing', async () => {
    const { stack, proxy, far, near, messages } = await held();
    await using _ = stack;
    await far.put('day.0', new Uint8Array());
    proxy.hold('toServer');
    await assert.rejects(far.put('day.1', LARGE));
    await near.put('day.1', LARGE);
    proxy.letGo();
    await far.list('');
    assert.deepEqual(await near.get('day.1'), LARGE);
    assert.equal(await messages(), PIECES + 2);
  });

  test('who reads while two put the same, and another content, gets one of them whole', async () => {
    const { stack, near, other } = await held();
    await using _ = stack;
    await near.put('day.1', LARGE);
    let isDone = false;
    const put = async () => {
      for (let round = 0; round < 10; round++) {
        await Promise.all([other.put('day.1', LARGE), near.put('day.1', LARGE)]);
        await Promise.all([other.put('day.1', OTHER), near.put('day.1', OTHER)]);
      }
      isDone = true;
    };
    const putting = put();
    let whole = 0;
    while (!isDone) {
      const bytes = await near.get('day.1').catch(refusedAsNotWhole);
      if (bytes === null) continue;
      assert(Buffer.compare(bytes, LARGE) === 0 || Buffer.compare(bytes, OTHER) === 0);
      whole += 1;
      await wait(0);
    }
    await putting;
    assert(whole > 0);
    assert.deepEqual(await near.get('day.1'), OTHER);
  });
});

function refusedAsNotWhole(error: unknown): null {
  assert(error instanceof Error);
  assert.match(error.message, /is not whole/);
  return null;
}

async function messagesOf(servers: NatsServers, dataset: string): Promise<number> {
  const connection = await connectNats(addressOf(servers.urls), 'test');
  try {
    const manager = await jetstreamManager(connection);
    return (await manager.streams.info(bucketStreamName(dataset))).state.messages;
  } finally {
    await connection.close();
  }
}
