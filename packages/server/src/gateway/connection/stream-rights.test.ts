import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { EpochNs } from '@tapeloom/core/numbers';
import { onlyTimersBelow } from '../../../../../simulation/clock/short-timers.ts';
import { AccountStream } from '../../../testing/stream/account-stream.ts';
import { FLOOD } from '../../../testing/stream/in-process-stream.ts';
import { StallingSocket } from '../../../testing/stream/stalling-socket.ts';
import { subscribe } from '../../../testing/stream/stream-client.ts';

const SECOND_NS = 1_000_000_000n;

test('a revoked key closes its connections, and no others, without any time passing [KEY-31]', async () => {
  await using desk = await AccountStream.start();
  const accountId = await desk.accounts.account('live');
  const [key, other] = [await desk.accounts.key(accountId), await desk.accounts.key(accountId)];
  const ending = [await desk.open(key), await desk.openWith(await desk.accounts.token(key))];
  for (const client of ending) {
    client.send(subscribe('a'));
    await client.find('snapshot');
  }
  using staying = await desk.open(other);
  await desk.accounts.revoke(key);
  const before = ending.map((client) => client.messages.length);
  desk.stream.trade({ price: 104 });
  desk.stream.promise();
  for (const [index, client] of ending.entries()) {
    assert.deepEqual(await client.closed, { code: 4003, reason: 'KEY_REVOKED' });
    assert.equal(client.messages.length, before[index]);
  }
  await staying.answered();
  while ((await desk.held(accountId, 'connection')) > 1) await turn();
  using again = desk.connect(key);
  assert.equal((await again.closed).code, 4001);
});

test('an expired key closes its connections within two seconds [KEY-29] [CLOSE-09]', async () => {
  await using desk = await AccountStream.start();
  const expiresAt = (desk.clock.now() + 60n * SECOND_NS + 300_000_000n) as EpochNs;
  const key = await desk.key('live', { expiresAt });
  const clients = [await desk.open(key), await desk.openWith(await desk.accounts.token(key))];
  for (const client of clients) await client.answered();
  desk.clock.advance(60_000);
  for (const client of clients) await client.answered();
  desk.clock.advance(2_300);
  for (const client of clients) {
    assert.deepEqual(await client.closed, { code: 4003, reason: 'KEY_REVOKED' });
  }
  const revoked = await desk.key('live');
  using one = await desk.open(revoked);
  await desk.accounts.revoke(revoked);
  assert.deepEqual(await one.closed, { code: 4003, reason: 'KEY_REVOKED' });
});

test('a rotation without grace closes connections at once, one with grace at its end', async () => {
  await using desk = await AccountStream.start();
  const key = await desk.key('live');
  using one = await desk.open(key);
  await desk.accounts.rotate(key, 0);
  assert.deepEqual(await one.closed, { code: 4003, reason: 'KEY_REVOKED' });
  const graced = await desk.key('live');
  using two = await desk.open(graced);
  await desk.accounts.rotate(graced, 30);
  while (desk.accounts.callCount('findKeyById') < 2) await turn();
  desk.clock.advance(29_000);
  await two.answered();
  desk.clock.advance(3_000);
  assert.deepEqual(await two.closed, { code: 4003, reason: 'KEY_REVOKED' });
});

test('a token is judged by its key again, and a peer that does not read loses its socket within a second [SEC-09]', async () => {
  await using desk = await AccountStream.start();
  const key = await desk.key('live');
  const unused = await desk.accounts.token(key);
  const deaf = await StallingSocket.open(desk.stream, key.text);
  await deaf.send(subscribe('a'));
  while (!deaf.messages.some((it) => it.t === 'snapshot')) await turn();
  deaf.stall();
  desk.stream.trade({ price: 104 });
  await desk.stream.pass(1_000);
  const gone = new Promise((resolve) => deaf.once('close', resolve));
  // Closed by our limit, not by the ten seconds that `ws` itself would wait.
  using _ = onlyTimersBelow(1_000);
  await desk.accounts.revoke(key);
  // Nothing of the account is held any more, though the peer has not noticed.
  while ((await desk.held(key.record.accountId, 'connection')) > 0) await turn();
  assert.equal(desk.stream.gateway.metrics.subscriptions, 0);
  await gone;
  assert.ok(deaf.destroyed);
  using late = await desk.openWith(unused);
  assert.equal((await late.closed).code, 4001);
});

test('what waited for a slow reader is dropped when its key is revoked', async () => {
  await using desk = await AccountStream.start(FLOOD);
  const key = await desk.key('live');
  const slow = await StallingSocket.open(desk.stream, key.text);
  await slow.send(subscribe('a'));
  while (!slow.messages.some((it) => it.t === 'snapshot')) await turn();
  slow.stall();
  const ping = { t: 'ping', id: 'x'.repeat(64) };
  await slow.send(...Array.from({ length: 5_000 }, () => ping));
  const onSocket = slow.writableLength;
  await desk.accounts.revoke(key);
  slow.readOn();
  await turn();
  assert.deepEqual(slow.closing, { code: 4003, reason: 'KEY_REVOKED' });
  assert.ok(slow.bytesRead < onSocket + 1_000);
  slow.destroy();
});

test('a suspended account loses its connections with 4003 FORBIDDEN', async () => {
  await using desk = await AccountStream.start();
  const key = await desk.key('live');
  using one = await desk.open(key);
  using other = await desk.open(await desk.key('live'));
  await desk.accounts.suspend(key.record.accountId);
  assert.deepEqual(await one.closed, { code: 4003, reason: 'FORBIDDEN' });
  await other.answered();
  await desk.accounts.suspend(key.record.accountId, false);
  using again = await desk.open(key);
  await again.answered();
});

test('after a change of plan what follows has the new rights', async () => {
  await using desk = await AccountStream.start();
  const key = await desk.key('live');
  const { accountId } = key.record;
  using one = await desk.open(key);
  one.send(subscribe('before'));
  const { topic } = await one.find('subscribed');
  await desk.accounts.setPlan(accountId, 'sandbox');
  while (desk.accounts.callCount('findKeyById') === 0) await turn();
  await one.answered();
  one.send(subscribe('after'));
  const after = await one.find('subscribed', (it) => it.sub === 'after');
  assert.equal(after.topic, `${topic}&delaySeconds=600`);
  one.send(subscribe('third'));
  assert.equal((await one.find('error')).code, 'QUOTA_EXCEEDED');
});

test('a key revoked while its connection is being let in never gets an answer', async () => {
  await using desk = await AccountStream.start();
  for (let round = 0; round < 20; round += 1) {
    const key = await desk.key('live');
    using one = await desk.connect(key).opened();
    one.send(subscribe('a'));
    for (let turns = 0; turns < round % 5; turns += 1) await turn();
    await desk.accounts.revoke(key);
    const { code } = await one.closed;
    assert.ok(code === 4001 || code === 4003, String(code));
  }
  while (desk.stream.gateway.metrics.connections > 0) await turn();
  assert.equal(desk.leases.size, 0);
});

test('rights to an instrument are judged again at a roll [INST-10] [SEC-26]', async () => {
  await using desk = await AccountStream.start();
  const bySymbol = await desk.key('live', { instruments: ['AA'] });
  const byAlias = await desk.key('live', { instruments: ['A.c.0'] });
  using one = await desk.open(bySymbol);
  using two = await desk.open(byAlias);
  for (const client of [one, two]) {
    for (const instrument of ['AA', 'A.c.0']) {
      client.send(subscribe(instrument, { instrument }));
      await client.find('snapshot', (it) => it.sub === instrument);
    }
  }
  desk.clock.advance(13 * 3_600_000);
  desk.stream.promise();
  const refused = await one.find('error');
  assert.deepEqual([refused.sub, refused.code], ['A.c.0', 'FORBIDDEN']);
  const lost = await two.find('error');
  assert.deepEqual([lost.sub, lost.code], ['AA', 'FORBIDDEN']);
  const rolled = await two.find('subscribed', (it) => JSON.stringify(it).includes('"BB"'));
  assert.equal(rolled.sub, 'A.c.0');
  for (const [client, instrument, code] of [
    [one, 'A.c.0', 'FORBIDDEN'],
    [one, 'BB', 'FORBIDDEN'],
    [two, 'AA', 'FORBIDDEN'],
  ] as const) {
    const sub = `new ${instrument}`;
    client.send(subscribe(sub, { instrument }));
    assert.equal((await client.find('error', (it) => it.sub === sub)).code, code);
  }
  two.send(subscribe('new BB', { instrument: 'BB' }));
  await two.find('snapshot', (it) => it.sub === 'new BB');
});
