import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { WebSocket } from 'ws';
import {
  killServices,
  NO_TRADES,
  RunningService,
  WAIT_LIMIT_MS,
  within,
} from './running-service.ts';
import { tapeloomJson } from './tapeloom-command.ts';

const directory = mkdtempSync(join(tmpdir(), 'tapeloom-accounts-'));
const data = join(directory, 'data');
const POLL_MS = 50;
const SECRET = /svc_(?:live|test|token)_\w/;
after(() => {
  killServices();
  rmSync(directory, { recursive: true, force: true });
});

interface KeyAnswer {
  readonly id: string;
  readonly key: string;
  readonly state: string;
}

interface KeyOfAccount extends KeyAnswer {
  readonly account: string;
}

async function createKey(
  account: string,
  environment: 'live' | 'test' = 'live',
): Promise<KeyOfAccount> {
  const options = ['--environment', environment, '--scopes', 'stream,keys'];
  const words = ['key', 'create', '--account', account, '--name', 'test', ...options];
  return { account, ...(await tapeloomJson<KeyAnswer>(data, ...words)) };
}

test('the first start prints a live and a test key once, on stdout only, and both work', async () => {
  const first = new RunningService({ data, env: NO_TRADES });
  await first.ready();
  const { live, test: testKey } = first.keys;
  assert.match(live, /^svc_live_/);
  assert.match(testKey, /^svc_test_/);
  assert.equal(first.output.split(live).length - 1, 3, 'the key, the curl line, the stream line');
  const usage = async (key: string) => {
    const answer = await first.send('GET', '/v1/usage', { key });
    assert.equal(answer.status, 200);
    return (await answer.json()) as { plan: string; limits: { realtime: boolean } };
  };
  const ofLive = await usage(live);
  assert.deepEqual([ofLive.plan, ofLive.limits.realtime], ['live_history', true]);
  assert.equal((await usage(testKey)).limits.realtime, false);
  assert.equal((await first.stop('SIGTERM')).code, 0, first.errors);

  const second = new RunningService({
    data,
    env: { ...NO_TRADES, TAPELOOM_KEY: live, TAPELOOM_DEBUG: '1' },
  });
  await second.ready();
  assert.equal(second.printedKeys, null);
  assert.doesNotMatch(second.output, SECRET);
  assert.match(second.output, /tapeloom (?:-- )?key create --account demo /);
  assert.equal((await second.get('/v1/usage', second.authorized)).status, 200);
  assert.equal((await second.stop('SIGTERM')).code, 0, second.errors);
  for (const { errors } of [first, second]) assert.doesNotMatch(errors, SECRET);
});

test('what an operator does reaches open connections of a running service', async () => {
  const service = new RunningService({ data, env: NO_TRADES });
  await service.ready();
  await tapeloomJson(data, 'account', 'create', 'acme', '--plan', 'live');
  const [kept, revoked] = [await createKey('acme'), await createKey('acme')];
  const [keptOpen, revokedOpen, deaf] = await Promise.all([
    service.open(kept.key),
    service.open(revoked.key),
    service.open(revoked.key),
  ]);
  deaf.stopReading();

  const shown = await tapeloomJson<KeyAnswer>(data, 'key', 'revoke', revoked.id, '--yes');
  assert.equal(shown.state, 'revoked');
  const closed = await within(WAIT_LIMIT_MS, 'the revocation', revokedOpen.closed);
  assert.deepEqual(closed, { code: 4003, reason: 'KEY_REVOKED' });
  const refused = await service.send('GET', '/v1/usage', { key: revoked.key });
  assert.equal(refused.status, 401);
  const again = await service.connect(revoked.key).closed;
  assert.equal(again.code, 4001);
  // The slow consumer's connection is closed too; it need not read the close frame.
  await within(WAIT_LIMIT_MS, 'the end of a deaf connection', untilConnections(service, 1));

  await tapeloomJson(data, 'account', 'suspend', 'acme');
  const suspended = await within(WAIT_LIMIT_MS, 'the suspension', keptOpen.closed);
  assert.deepEqual(suspended, { code: 4003, reason: 'FORBIDDEN' });
  assert.equal((await service.send('GET', '/v1/usage', { key: kept.key })).status, 403);
  await tapeloomJson(data, 'account', 'resume', 'acme');
  const resumed = await within(
    WAIT_LIMIT_MS,
    'the resumption',
    untilAnswers(service, kept.key, 200),
  );
  assert.equal(resumed, 200);

  const open = await service.open(kept.key);
  assert.equal((await service.stop('SIGTERM')).code, 0, service.errors);
  assert.equal((await open.closed).code, 1013);
  assert.doesNotMatch(service.errors, SECRET);
});

async function untilConnections(service: RunningService, count: number): Promise<void> {
  const isReached = new RegExp(`^tapeloom_connections ${count}$`, 'm');
  while (!isReached.test(await (await service.internal('/metrics')).text())) await pause(POLL_MS);
}

async function untilAnswers(service: RunningService, key: string, status: number): Promise<number> {
  for (;;) {
    const answer = await service.send('GET', '/v1/usage', { key });
    await answer.body?.cancel();
    if (answer.status === status) return status;
    await pause(POLL_MS);
  }
}

test('a key made without instruments reads unrelated ones, one with them only those [KEY-09]', async () => {
  const service = new RunningService({ data, env: NO_TRADES });
  await service.ready();
  const rights = { name: 'app', environment: 'live', scopes: ['stream'] };
  const create = async (body: object) => {
    const answer = await service.send('POST', '/v1/keys', { body });
    return ((await answer.json()) as KeyAnswer).key;
  };
  const read = async (key: string) => {
    const subscriber = service.connect(key);
    for (const instrument of ['BTC.c.0', 'ZN.c.0']) {
      await subscriber.send({ t: 'subscribe', sub: instrument, instrument, indicator: 'bars' });
    }
    const answerTo = async (sub: string) =>
      (await subscriber.first((it) => it.sub === sub && ['snapshot', 'error'].includes(it.t))).t;
    const answers = [await answerTo('BTC.c.0'), await answerTo('ZN.c.0')];
    await subscriber.close();
    return answers;
  };
  assert.deepEqual(await read(await create(rights)), ['snapshot', 'snapshot']);
  const restricted = await create({ ...rights, instruments: ['ZN.c.0'] });
  assert.deepEqual(await read(restricted), ['error', 'snapshot']);
  assert.equal((await service.stop('SIGTERM')).code, 0, service.errors);
});

test('a forwarded address counts behind a listed proxy only, on REST and stream [SEC-08]', async () => {
  const home = '203.0.113.7';
  const words = ['--environment', 'live', '--scopes', 'stream', '--ips', `${home},198.51.100.0/24`];
  const create = ['key', 'create', '--account', 'demo', '--name', 'home', ...words];
  const { key } = await tapeloomJson<KeyAnswer>(data, ...create);
  const authorization = `Bearer ${key}`;
  const tries = async (service: RunningService, forwarded: string | null) => {
    const headers = {
      authorization,
      ...(forwarded === null ? {} : { 'x-forwarded-for': forwarded }),
    };
    const { status } = await service.get('/v1/usage', headers);
    const socket = new WebSocket(service.address('stream'), { headers });
    socket.on('open', () => socket.send('{"t":"ping"}'));
    const stream = await new Promise<number>((resolve) => {
      socket.on('message', () => resolve(0));
      socket.on('close', (code) => resolve(code));
    });
    socket.close();
    return [status, stream];
  };
  const [allowed, refused] = [
    [200, 0],
    [403, 4003],
  ];
  const proxied = new RunningService({
    data,
    env: { ...NO_TRADES, TAPELOOM_TRUSTED_PROXIES: '127.0.0.0/8' },
  });
  await proxied.ready();
  assert.deepEqual(await tries(proxied, home), allowed);
  assert.deepEqual(await tries(proxied, `192.0.2.1, ${home}`), allowed, 'the right end counts');
  assert.deepEqual(await tries(proxied, `${home}, 192.0.2.1`), refused, 'the left end does not');
  assert.deepEqual(await tries(proxied, null), refused);
  assert.equal((await proxied.stop('SIGTERM')).code, 0, proxied.errors);
  const open = new RunningService({ data, env: NO_TRADES });
  await open.ready();
  assert.deepEqual(await tries(open, home), refused, 'nobody vouches for it');
  assert.equal((await open.stop('SIGTERM')).code, 0, open.errors);
});
