/** What a stream does because its node is one of several. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AccountStream } from '../../../testing/stream/account-stream.ts';
import { InProcessStream, KEY } from '../../../testing/stream/in-process-stream.ts';
import { StreamClient, subscribe } from '../../../testing/stream/stream-client.ts';
import type { HeldLease, LeaseRequest } from '../../accounts/limits/leases.ts';
import { MemoryLeases } from '../../accounts/limits/memory-leases.ts';

/** Leases that others can take away. */
class LosingLeases extends MemoryLeases {
  readonly taken: LeaseRequest[] = [];
  #hear: (lost: HeldLease) => void = () => {};

  override take(...args: Parameters<MemoryLeases['take']>): Promise<boolean> {
    this.taken.push(args[1]);
    return super.take(...args);
  }

  override onLost(hear?: (lost: HeldLease) => void): Disposable {
    if (hear !== undefined) this.#hear = hear;
    return super.onLost();
  }

  lose(which: (lease: LeaseRequest) => boolean): void {
    this.#hear(this.taken.find(which)!);
  }
}

async function openStream(options: Parameters<typeof InProcessStream.start>[0] = {}) {
  const stream = await InProcessStream.start(options);
  const open = () => new StreamClient(stream.url, `Bearer ${KEY}`).opened();
  return { stream, open };
}

test('a subscription whose slot others took ends alone, and a connection is closed as one too many [CLOSE-14]', async () => {
  const leases = new LosingLeases();
  const { stream, open } = await openStream({ leases });
  await using _ = stream;
  using client = await open();
  client.send(subscribe('a', { params: { size: 101 } }));
  await client.find('snapshot');
  client.send(subscribe('b'));
  await client.find('snapshot', (it) => it.sub === 'b');
  leases.lose(({ kind }) => kind === 'configuration');
  const error = await client.find('error');
  assert.deepEqual([error.sub, error.code], ['a', 'QUOTA_EXCEEDED']);
  await client.answered();
  assert.equal(stream.gateway.metrics.subscriptions, 1);
  leases.lose(({ kind }) => kind === 'connection');
  assert.equal((await client.closed).code, 4029);
});

test('clients of a node that leaves are sent away one after the other, and nobody is let in meanwhile [EVT-25]', async () => {
  const { stream, open } = await openStream();
  await using _ = stream;
  const clients = await Promise.all(Array.from({ length: 8 }, open));
  for (const client of clients) await client.answered();
  const away = () => clients.filter((it) => it.socket.readyState !== it.socket.OPEN).length;
  const leaving = stream.gateway.drain(400);
  using late = new StreamClient(stream.url, `Bearer ${KEY}`);
  assert.equal((await late.closed).code, 1013);
  await Promise.race(clients.map(({ closed }) => closed));
  assert.equal(away(), 1);
  for (let step = 0; step < 8; step += 1) await stream.pass(50);
  await leaving;
  for (const client of clients) {
    assert.equal((await client.closed).code, 1013);
    assert.deepEqual(client.messages.at(-1), { t: 'notice', kind: 'reconnect' });
  }
});

test('a node that is behind the tape sends away who names a cursor it cannot see, whether it exists or not', async () => {
  let isBehind = true;
  await using desk = await AccountStream.start({ isBehind: () => isBehind });
  desk.stream.trade({ price: 100 });
  await desk.stream.pass(1_000);
  const key = await desk.key('live');
  const ask = async () => {
    const client = await desk.open(key);
    client.send(subscribe('a', { from: { cursor: '20261112.7.0' } }));
    await client.answered();
    for (let step = 0; step < 110; step += 1) await desk.stream.pass(50);
    return client;
  };
  using sent = await ask();
  assert.equal((await sent.closed).code, 1013);
  isBehind = false;
  using told = await ask();
  assert.equal((await told.find('error')).code, 'INVALID_PARAMETERS');
});
