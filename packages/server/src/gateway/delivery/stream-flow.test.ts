import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { parseIpRange } from '@tapeloom/core/entitlement/ip-range';
import type { EpochNs } from '@tapeloom/core/numbers';
import { AccountStream } from '../../../testing/stream/account-stream.ts';
import { StreamClient, subscribe } from '../../../testing/stream/stream-client.ts';
import { DoorSockets, socketLimits } from '../../platform/network/door-sockets.ts';
import { MESSAGE_RATE } from '../connection/message-rate.ts';
import { SILENCE_MS_MAX } from '../connection/silence.ts';

/** The production limits; other tests use wider ones. */
const REAL = { limits: { silenceMs: SILENCE_MS_MAX, messageRate: MESSAGE_RATE } };

/** Waits for the server's reaction to sent frames, without sending anything. */
async function until(isDone: () => boolean): Promise<void> {
  while (!isDone()) await turn();
}

test('ping frames alone count toward the rate: more than a burst of them closes with 1008 [FLOW-03] [CLOSE-05] [SEC-17]', async () => {
  await using desk = await AccountStream.start(REAL);
  const key = await desk.key('live');
  using calm = await desk.open(key);
  let pongs = 0;
  calm.socket.on('pong', () => {
    pongs += 1;
  });
  for (let sent = 0; sent < 90; sent += 1) calm.socket.ping();
  await until(() => pongs === 90);
  assert.equal(calm.socket.readyState, calm.socket.OPEN);

  using flood = await desk.open(key);
  for (let sent = 0; sent < 150; sent += 1) flood.socket.ping();
  assert.equal((await flood.closed).code, 1008);
  using pongFlood = await desk.open(key);
  for (let sent = 0; sent < 150; sent += 1) pongFlood.socket.pong();
  assert.equal((await pongFlood.closed).code, 1008);
});

test('20 messages a second for a minute are accepted, 25 a second end in 1008 [FLOW-01]', async () => {
  await using desk = await AccountStream.start(REAL);
  const key = await desk.key('live');
  const run = async (perSecond: number): Promise<StreamClient> => {
    const client = await desk.open(key);
    for (let second = 0; second < 60 && client.socket.readyState === 1; second += 1) {
      for (let sent = 0; sent < perSecond; sent += 1) {
        client.send({ t: 'ping', id: second * perSecond + sent });
        desk.clock.advance(1_000 / perSecond);
        const { socket, messages } = client;
        const answers = messages.filter(({ t }) => t === 'pong').length;
        await until(
          () =>
            socket.readyState !== 1 || messages.filter(({ t }) => t === 'pong').length > answers,
        );
      }
    }
    return client;
  };
  using steady = await run(20);
  assert.equal(steady.socket.readyState, steady.socket.OPEN);
  using hasty = await run(25);
  assert.equal((await hasty.closed).code, 1008);
});

test('a client silent for 30 s is closed with 4008 PING_TIMEOUT, one that pings every 25 s stays [FLOW-06] [CLOSE-13]', async () => {
  await using desk = await AccountStream.start(REAL);
  const key = await desk.key('live');
  using silent = await desk.open(key);
  using awake = await desk.open(key);
  using byFrame = await desk.open(key);
  using witness = await desk.open(key);
  let silentFor = 0;
  for (let second = 1; second <= 75; second += 1) {
    await desk.stream.pass(1_000);
    // Its own silence is short, so it shows that the server has dealt with this second.
    await witness.answered();
    if (silent.socket.readyState === silent.socket.OPEN) silentFor = second;
    if (second % 25 !== 0) continue;
    await awake.answered();
    const pong = new Promise((resolve) => byFrame.socket.once('pong', resolve));
    byFrame.socket.ping();
    await pong;
  }
  // The close may be read a little later than it was sent.
  assert.ok(silentFor >= 29 && silentFor <= 31, `${silentFor}`);
  assert.deepEqual(await silent.closed, { code: 4008, reason: 'PING_TIMEOUT' });
  assert.equal(awake.socket.readyState, awake.socket.OPEN);
  assert.equal(byFrame.socket.readyState, byFrame.socket.OPEN);
});

test('a connection that vanished without a close frame gives its slot back within 90 s [FLOW-07]', async () => {
  await using desk = await AccountStream.start(REAL);
  const key = await desk.key('sandbox');
  const lost = await desk.open(key);
  lost.send(subscribe('a'));
  await lost.answered();
  // The network is cut: nothing the server sends arrives, nothing answers it.
  lost.socket.pause();
  assert.equal(await desk.held(key.record.accountId, 'connection'), 1);
  using second = desk.connect(key);
  assert.equal((await second.closed).code, 4029);
  await desk.stream.pass(90_000);
  while ((await desk.held(key.record.accountId, 'connection')) > 0) await turn();
  assert.equal(await desk.held(key.record.accountId, 'subscription'), 0);
  using third = await desk.open(key);
  assert.equal(third.socket.readyState, third.socket.OPEN);
  lost[Symbol.dispose]();
});

test('faults of the whole connection are close codes, with no error message before [EVT-26] [CLOSE-08]', async () => {
  await using desk = await AccountStream.start(REAL);
  const key = await desk.key('sandbox');
  const scopeless = await desk.key('live', { scopes: ['history'] });
  const silent = await desk.open(key);
  const usedToken = await desk.accounts.token(await desk.key('live'));
  using first = await desk.openWith(usedToken);
  await first.answered();
  const expiresAt = (desk.clock.now() + 1n) as EpochNs;
  const expired = await desk.key('live', { expiresAt });
  const revoked = await desk.key('live');
  const orphan = await desk.accounts.token(revoked);
  await desk.accounts.revoke(revoked);
  desk.clock.advance(1);
  const tokenless = await new StreamClient(desk.stream.url).opened();
  tokenless.send(subscribe('a'));
  const late = await new StreamClient(desk.stream.url).opened();
  const cases: readonly (readonly [StreamClient, number])[] = [
    [new StreamClient(desk.stream.url, 'Bearer nonsense'), 4001],
    [new StreamClient(desk.stream.url, `Bearer ${key.text.slice(0, -1)}`), 4001],
    [new StreamClient(desk.stream.url, key.text), 4001],
    [await desk.openWith('svc_token_000000000000000000000000000000000'), 4001],
    [await desk.openWith(usedToken), 4001],
    [await desk.openWith(orphan), 4001],
    [desk.connect(expired), 4001],
    [desk.connect(revoked), 4001],
    [tokenless, 4001],
    [late, 4001],
    [desk.connect(scopeless), 4003],
    [desk.connect(key), 4029],
    [silent, 4008],
  ];
  for (const [client, code] of cases) {
    if (client === late) await desk.stream.pass(5_000);
    if (client === silent) await desk.stream.pass(30_000);
    assert.equal((await client.closed).code, code);
    assert.ok(!client.kinds().includes('error'), `${code}: ${client.kinds()}`);
    client[Symbol.dispose]();
  }
});

test('a token works whatever site sends it [TOK-12]', async () => {
  await using desk = await AccountStream.start(REAL);
  const key = await desk.key('live');
  for (const origin of ['https://charts.example', 'http://localhost:5173', 'null', 'file://']) {
    const token = await desk.accounts.token(key);
    using client = await new StreamClient(desk.stream.url, undefined, { origin }).opened();
    client.send({ t: 'auth', token });
    client.send(subscribe('a'));
    await client.find('snapshot');
  }
});

test('sockets nobody has proven are few: per address and in all, and 5 s whatever they send [SEC-16] [SEC-37]', async () => {
  const sockets = new DoorSockets({ ...socketLimits(20), strangers: 5, strangersPerAddress: 3 });
  await using desk = await AccountStream.start({
    ...REAL,
    sockets,
    trustedProxies: [parseIpRange('127.0.0.1')!],
  });
  const from = (address: string) =>
    new StreamClient(desk.stream.url, undefined, { 'x-forwarded-for': address }).opened();
  const crowd = [await from('10.0.0.1'), await from('10.0.0.1'), await from('10.0.0.1')];
  // One more of an address takes the slot of its oldest, whatever others hold.
  const open = [await from('10.0.0.2'), await from('10.0.0.1')];
  assert.equal(sockets.counts.strangers, 4);
  assert.equal((await crowd.shift()!.closed).code, 1013);
  open.push(await from('10.0.0.3'));
  // One more in all takes that of the address that has most.
  open.push(await from('10.0.0.4'));
  assert.equal(sockets.counts.strangers, 5);
  assert.equal((await crowd.shift()!.closed).code, 1013);
  open.push(...crowd);
  // A key is admitted even when unproven connections have filled their slots.
  using known = await desk.open(await desk.key('live'));
  await known.answered();
  assert.equal((await open.pop()!.closed).code, 1013);
  // Frames that are no message do not prolong the wait.
  for (let second = 0; second < 5; second += 1) {
    for (const client of open) client.socket.ping();
    await desk.stream.pass(1_000);
  }
  for (const client of open) assert.equal((await client.closed).code, 4001);
  using next = await desk.openWith(await desk.accounts.token(await desk.key('live')));
  await next.answered();
});
