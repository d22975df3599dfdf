import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { parseIpRange } from '@tapeloom/core/entitlement/ip-range';
import type { EpochNs } from '@tapeloom/core/numbers';
import { AccountStream } from '../../../testing/stream/account-stream.ts';
import { converse } from '../../../testing/stream/raw-conversation.ts';
import { StreamClient, subscribe } from '../../../testing/stream/stream-client.ts';

const SECOND_NS = 1_000_000_000n;

async function closing(client: StreamClient): Promise<readonly [number, string]> {
  const { code, reason } = await client.closed;
  client[Symbol.dispose]();
  return [code, reason];
}

test('a key in the header opens the stream, and its use is noted [AUTH-02] [AUTH-03]', async () => {
  await using desk = await AccountStream.start();
  const key = await desk.key('live_history');
  for (const word of ['Bearer', 'bearer', 'BEARER', 'bEaReR']) {
    using one = await new StreamClient(desk.stream.url, `${word} ${key.text}`).opened();
    one.send(subscribe('a'));
    await one.find('snapshot');
    await desk.stream.pass(6_000);
    await one.answered();
    assert.equal(one.socket.readyState, one.socket.OPEN);
  }
  assert.deepEqual(desk.usedKeys, Array(4).fill(key.record.id));
});

test('an auth on a connection opened with the header is ignored, and its token stays unused [WS-06]', async () => {
  await using desk = await AccountStream.start();
  const [key, other] = [await desk.key('live'), await desk.key('live')];
  const token = await desk.accounts.token(other);
  using one = await desk.connect(key).opened();
  for (const sent of [token, 'bad']) one.send({ t: 'auth', token: sent });
  await one.answered();
  assert.deepEqual(one.kinds(), ['pong']);
  using byToken = await desk.openWith(token);
  await byToken.answered();
  assert.deepEqual(desk.usedKeys, [key.record.id, other.record.id]);
});

test('an account that is sent its first object has streamed; one that only connects has not', async () => {
  await using desk = await AccountStream.start();
  const [quiet, key] = [await desk.key('live'), await desk.key('sandbox')];
  using _connected = await desk.open(quiet);
  using one = await desk.open(key);
  one.send(subscribe('a'));
  one.send(subscribe('b'));
  await one.find('snapshot');
  await desk.stream.pass(6_000);
  await one.answered();
  assert.deepEqual(desk.streamedAccounts, [key.record.accountId]);
});

test('an invalid, expired or revoked key opens, then closes at once with 4001 and no message [AUTH-11] [AUTH-05]', async () => {
  await using desk = await AccountStream.start();
  const good = await desk.key('live');
  const expiresAt = (desk.clock.now() + SECOND_NS) as EpochNs;
  const expired = await desk.key('live', { expiresAt });
  const revoked = await desk.key('live');
  await desk.accounts.revoke(revoked);
  desk.clock.advance(1_000);
  const { text } = good;
  const wrongSum = text.slice(0, -1) + (text.endsWith('0') ? '1' : '0');
  const bad = [
    text,
    'Bearer',
    'Bearer ',
    `Basic ${text}`,
    `Bearer  ${text}`,
    `Bearer ${text}x`,
    `Bearer ${text.slice(0, -1)}`,
    `Bearer ${wrongSum}`,
    'Bearer garbage',
    'Bearer svc_live_00000000000000000000000000000000',
    `Bearer ${expired.text}`,
    `Bearer ${revoked.text}`,
  ];
  for (const authorization of bad) {
    const one = new StreamClient(desk.stream.url, authorization);
    let isOpened = false;
    one.socket.on('open', () => {
      isOpened = true;
    });
    assert.equal((await closing(one))[0], 4001, authorization);
    assert.ok(isOpened);
    assert.deepEqual(one.messages, []);
  }
  while (desk.stream.gateway.metrics.connections > 0) await turn();
  assert.deepEqual(desk.stream.gateway.metrics.closesTotal, { 4001: bad.length });
  assert.deepEqual(desk.usedKeys, []);
});

test('Authorization sent twice closes at once with 4001, also when both hold a good key', async () => {
  await using desk = await AccountStream.start();
  const [one, other] = [await desk.key('live'), await desk.key('live')];
  for (const second of [other, one]) {
    const sent = [one, second].map(({ text }) => `Authorization: Bearer ${text}`);
    const { port } = new URL(desk.stream.url);
    const { close } = await converse({ port: Number(port), headers: sent }, Buffer.alloc(0), {
      waitsForPongs: false,
    });
    assert.equal(close, 4001);
  }
  assert.deepEqual(desk.usedKeys, []);
});

test('a key without scope stream closes with 4003 FORBIDDEN, one with stream alone subscribes [AUTH-18] [AUTH-21]', async () => {
  await using desk = await AccountStream.start();
  const without = await desk.key('live', { scopes: ['history', 'export', 'keys'] });
  assert.deepEqual(await closing(desk.connect(without)), [4003, 'FORBIDDEN']);
  using one = await desk.open(await desk.key('live', { scopes: ['stream'] }));
  one.send(subscribe('a'));
  await one.find('snapshot');
});

test('an address outside the allowed ones closes with 4003 FORBIDDEN [AUTH-19] [CLOSE-11]', async () => {
  const trustedProxies = [parseIpRange('127.0.0.1')!];
  await using desk = await AccountStream.start({ trustedProxies });
  const key = await desk.key('live_history', { allowedIps: ['192.0.2.7', '198.51.100.0/24'] });
  const from = (forwarded: string) => desk.connect(key, { 'x-forwarded-for': forwarded });
  for (const inside of ['192.0.2.7', '198.51.100.255', '203.0.113.1, 192.0.2.7']) {
    using one = await from(inside).opened();
    await one.answered();
  }
  for (const outside of ['192.0.2.8', '198.51.101.0', '192.0.2.7, 203.0.113.1', 'nonsense', '']) {
    assert.deepEqual(await closing(from(outside)), [4003, 'FORBIDDEN'], outside);
  }
  assert.deepEqual(await closing(desk.connect(key)), [4003, 'FORBIDDEN']);
  const scopeless = await desk.key('live', { scopes: ['history', 'export', 'keys'] });
  assert.deepEqual(await closing(desk.connect(scopeless)), [4003, 'FORBIDDEN']);
});

test('without a listed proxy the socket counts, whatever the header says', async () => {
  await using desk = await AccountStream.start();
  const local = await desk.key('live', { allowedIps: ['127.0.0.0/8'] });
  using one = await desk.connect(local, { 'x-forwarded-for': '203.0.113.1' }).opened();
  await one.answered();
  const remote = await desk.key('live', { allowedIps: ['203.0.113.1'] });
  const spoofed = desk.connect(remote, { 'x-forwarded-for': '203.0.113.1' });
  assert.deepEqual(await closing(spoofed), [4003, 'FORBIDDEN']);
});

test('a suspended account is refused with 4003 FORBIDDEN, by key and by token', async () => {
  await using desk = await AccountStream.start();
  const key = await desk.key('live');
  const token = await desk.accounts.token(key);
  await desk.accounts.suspend(key.record.accountId);
  assert.deepEqual(await closing(desk.connect(key)), [4003, 'FORBIDDEN']);
  assert.deepEqual(await closing(await desk.openWith(token)), [4003, 'FORBIDDEN']);
});

test('an instrument the key has no right to is refused, and the connection stays [AUTH-20] [INST-05]', async () => {
  await using desk = await AccountStream.start();
  // An entry names one instrument, not those with a similar name.
  using one = await desk.open(await desk.key('live', { instruments: ['AA', 'B', 'BBB'] }));
  one.send(subscribe('bb', { instrument: 'BB' }));
  one.send(subscribe('aa'));
  await one.find('snapshot', (it) => it.sub === 'aa');
  await one.answered();
  const errors = one.messages.flatMap((it) => (it.t === 'error' ? [[it.sub, it.code]] : []));
  assert.deepEqual(errors, [['bb', 'FORBIDDEN']]);
  assert.deepEqual(one.kinds('bb'), ['error']);
});

test('a first message that is no valid auth closes with 4001 [AUTH-13]', async () => {
  await using desk = await AccountStream.start();
  const key = await desk.key('live');
  const token = await desk.accounts.token(key);
  for (const message of [
    subscribe('a'),
    { t: 'ping' },
    { t: 'auth' },
    { t: 'auth', token: 'bad' },
    { t: 'auth', token: key.text },
    { t: 'auth', token, more: true },
    { t: 'auth', token: `${token.slice(0, -1)}${token.endsWith('0') ? '1' : '0'}` },
    'x',
  ]) {
    const one = await new StreamClient(desk.stream.url).opened();
    one.send(message);
    assert.equal((await closing(one))[0], 4001, JSON.stringify(message));
    assert.deepEqual(one.messages, []);
  }
  using good = await desk.openWith(token);
  await good.answered();
});

test('auth is waited for 5 s and no longer, whatever else arrives [AUTH-14]', async () => {
  await using desk = await AccountStream.start();
  const key = await desk.key('live');
  const token = await desk.accounts.token(key);
  using late = await new StreamClient(desk.stream.url).opened();
  using silent = await new StreamClient(desk.stream.url).opened();
  while (desk.stream.gateway.metrics.connections < 2) await turn();
  desk.clock.advance(4_999);
  silent.socket.ping();
  late.send({ t: 'auth', token });
  await late.answered();
  assert.equal(silent.socket.readyState, silent.socket.OPEN);
  desk.clock.advance(1);
  assert.equal((await silent.closed).code, 4001);
  await late.answered();
  assert.equal(late.socket.readyState, late.socket.OPEN);
});

test('an accepted auth gets no answer, and later ones are ignored [WS-05] [WS-07] [WS-08]', async () => {
  await using desk = await AccountStream.start();
  const key = await desk.key('live');
  using one = await desk.openWith(await desk.accounts.token(key));
  one.send(subscribe('a'));
  await one.find('snapshot');
  assert.equal(one.messages[0]?.t, 'subscribed');
  const before = one.messages.length;
  const unused = await desk.accounts.token(key);
  for (const token of [unused, 'bad', 7]) one.send({ t: 'auth', token });
  await one.answered();
  assert.deepEqual(
    one.messages.slice(before).map((it) => it.t),
    ['pong'],
  );
  desk.stream.trade({ price: 104 });
  await desk.stream.pass(1_000);
  await one.find('upsert');
  using other = await desk.openWith(unused);
  await other.answered();
});

test('a token is good until a minute after its issue [TOK-03]', async () => {
  await using desk = await AccountStream.start();
  const key = await desk.key('live');
  const [early, late] = [await desk.accounts.token(key), await desk.accounts.token(key)];
  desk.clock.advance(59_999);
  using one = await desk.openWith(early);
  await one.answered();
  desk.clock.advance(1);
  assert.equal((await closing(await desk.openWith(late)))[0], 4001);
});

test('a token works once, so every reconnection needs a new one [TOK-05] [TOK-06]', async () => {
  await using desk = await AccountStream.start();
  const key = await desk.key('live');
  const token = await desk.accounts.token(key);
  const rivals = await Promise.all(Array.from({ length: 4 }, () => desk.openWith(token)));
  const codes: number[] = [];
  for (const rival of rivals) void rival.closed.then(({ code }) => codes.push(code));
  while (codes.length < 3) await turn();
  assert.deepEqual(codes, [4001, 4001, 4001]);
  const winner = rivals.find((rival) => rival.socket.readyState === rival.socket.OPEN)!;
  await winner.answered();
  await desk.end(winner, key);
  assert.equal((await closing(await desk.openWith(token)))[0], 4001);
  using again = await desk.openWith(await desk.accounts.token(key));
  await again.answered();
});

test('a token has the rights and limits of its key [TOK-07] [TOK-08]', async () => {
  await using desk = await AccountStream.start();
  const environment = 'test';
  const key = await desk.key('live_history', {
    environment,
    instruments: ['AA'],
    scopes: ['stream'],
  });
  const byKey = await desk.open(key);
  const verdicts = async (client: StreamClient) => {
    const subs = ['aa', 'bb', 'two', 'three'];
    for (const sub of subs) client.send(subscribe(sub, { instrument: sub === 'bb' ? 'BB' : 'AA' }));
    await client.answered();
    const about = client.messages.filter((it) => it.t === 'subscribed' || it.t === 'error');
    return about.map((it) => (it.t === 'error' ? [it.sub, it.code] : [it.sub, it.topic]));
  };
  const expected = [
    ['aa', 'AA/bars?bar=time&session=full&size=60&delaySeconds=600'],
    ['bb', 'FORBIDDEN'],
    ['two', 'AA/bars?bar=time&session=full&size=60&delaySeconds=600'],
    ['three', 'QUOTA_EXCEEDED'],
  ];
  assert.deepEqual(await verdicts(byKey), expected);
  // The sandbox has one connection, with a key or with its token.
  assert.equal((await closing(await desk.openWith(await desk.accounts.token(key))))[0], 4029);
  await desk.end(byKey, key);
  using byToken = await desk.openWith(await desk.accounts.token(key));
  assert.deepEqual(await verdicts(byToken), expected);
  const scopeless = await desk.key('live', { scopes: ['history'] });
  const smuggled = await desk.accounts.token(scopeless);
  assert.deepEqual(await closing(await desk.openWith(smuggled)), [4003, 'FORBIDDEN']);
});

test('a token dies with its key, and a connection it opened too [TOK-09]', async () => {
  await using desk = await AccountStream.start();
  const key = await desk.key('live');
  using one = await desk.openWith(await desk.accounts.token(key));
  await one.answered();
  const unused = await desk.accounts.token(key);
  await desk.accounts.revoke(key);
  assert.deepEqual(await closing(one), [4003, 'KEY_REVOKED']);
  assert.equal((await closing(await desk.openWith(unused)))[0], 4001);
  const expiresAt = (desk.clock.now() + 30n * SECOND_NS) as EpochNs;
  const ending = await desk.key('live', { expiresAt });
  const outlived = await desk.accounts.token(ending);
  desk.clock.advance(30_000);
  assert.equal((await closing(await desk.openWith(outlived)))[0], 4001);
});

test('the allowed addresses of a key do not bind who uses its token [TOK-11]', async () => {
  await using desk = await AccountStream.start();
  const key = await desk.key('live', { allowedIps: ['192.0.2.7'] });
  assert.deepEqual(await closing(desk.connect(key)), [4003, 'FORBIDDEN']);
  using one = await desk.openWith(await desk.accounts.token(key));
  one.send(subscribe('a'));
  await one.find('snapshot');
});
