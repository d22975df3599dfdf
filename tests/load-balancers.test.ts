/** The files of `deploy/load-balancers/` before two real services with the same accounts. */

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { connect as connectHttp2 } from 'node:http2';
import { type RequestOptions, request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { zstdDecompressSync } from 'node:zlib';
import { WebSocket } from 'ws';
import { makeAccounts } from './account-maker.ts';
import { type BalancerName, LoadBalancer } from './load-balancer.ts';
import { neighbourMissing } from './neighbour-program.ts';
import { killServices, NO_TRADES, RunningService, WAIT_LIMIT_MS } from './running-service.ts';
import { tapeloomJson } from './tapeloom-command.ts';

const directory = mkdtempSync(join(tmpdir(), 'tapeloom-balancers-'));
const HOME = '127.0.0.1';
const ELSEWHERE = '127.0.0.9';
const DAY_MS = 86_400_000;
const midnight = Math.floor(Date.now() / DAY_MS) * DAY_MS;
const FOOTPRINT = {
  bar: 'time',
  session: 'full',
  group: 1_000,
  valueArea: 68,
  pocTie: 'highest',
  ratio: 3.25,
  minVolume: 100_000,
  zero: 'count',
  depth: 5_000,
};
/** Eight studies with parameters make the longest token, and so the longest response headers. */
const EXPORT = `/v1/export?${new URLSearchParams([
  ['instrument', 'BTC.c.0'],
  ['from', new Date(midnight - DAY_MS / 2).toISOString()],
  ['to', new Date(midnight - DAY_MS / 24).toISOString()],
  ...[1, 2, 3, 4, 5, 6, 7, 8].flatMap((minutes) => [
    ['indicator', 'footprint'],
    ['params', JSON.stringify({ ...FOOTPRINT, size: 60 * minutes })],
  ]),
] as [string, string][])}`;

const names = ['nginx', 'haproxy'] as const;
const allMissing = names.every(neighbourMissing) && 'there is neither nginx nor HAProxy here';

let services: readonly [RunningService, RunningService];
let key: string;
let boundKey: string;

function start(name: string): RunningService {
  const env = { ...NO_TRADES, TAPELOOM_TRUSTED_PROXIES: HOME };
  return new RunningService({ data: join(directory, name), env });
}

before(async () => {
  if (allMissing) return;
  const [a, b] = [join(directory, 'a'), join(directory, 'b')];
  [key] = (await makeAccounts(a, ['acme'])) as [string];
  const words = ['--environment', 'live', '--scopes', 'stream,history,export', '--ips', ELSEWHERE];
  const naming = ['key', 'create', '--account', 'acme', '--name', 'bound'];
  const made = await tapeloomJson<{ key: string }>(a, ...naming, ...words);
  boundKey = made.key;
  cpSync(a, b, { recursive: true });
  services = [start('a'), start('b')];
  await Promise.all(services.map((service) => service.ready()));
});

after(() => {
  killServices();
  rmSync(directory, { recursive: true, force: true });
});

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly trailers: Readonly<Record<string, unknown>>;
  readonly body: Buffer;
}

async function get(
  balancer: LoadBalancer,
  path: string,
  more: RequestOptions = {},
): Promise<Answer> {
  const { port, authority: ca } = balancer;
  const asked = request({ host: HOME, port, path, ca, agent: false, ...more }).end();
  const [response] = await once(asked, 'response');
  const pieces: Buffer[] = [];
  for await (const piece of response) pieces.push(piece as Buffer);
  const { statusCode: status, headers, trailers } = response;
  return { status, headers, trailers, body: Buffer.concat(pieces) };
}

const withKey = (secret: string) => ({ authorization: `Bearer ${secret}` });
const portOf = (address: string) => Number(new URL(address).port);

const nodesNow = () => {
  const [a, b] = services.map((service) => ({
    publicPort: portOf(service.address('REST')),
    internalPort: portOf(service.address('metrics')),
  }));
  return [a!, b!] as const;
};

const balancerOf = (name: BalancerName, nodes = nodesNow()) =>
  LoadBalancer.start(name, mkdtempSync(join(directory, `${name}-`)), nodes);

async function requestsAt(service: RunningService): Promise<number> {
  const text = await (await service.internal('/metrics')).text();
  const counts = text.matchAll(
    /^tapeloom_http_request_seconds_count\{.*"\/v1\/status".*\} (\d+)$/gm,
  );
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
}

for (const name of names) {
  test(`${name}: REST over HTTP/1.1 and HTTP/2, a stream, and a whole export`, {
    skip: neighbourMissing(name),
  }, async () => {
    await using balancer = await balancerOf(name);
    const status = await get(balancer, '/v1/status');
    assert.equal(status.status, 200);

    const session = connectHttp2(`https://${HOME}:${balancer.port}`, { ca: balancer.authority });
    const asked = session.request({ ':path': '/v1/instruments', ...withKey(key) });
    const [answered] = await once(asked, 'response');
    assert.equal(answered[':status'], 200);
    asked.close();
    session.close();

    const socket = new WebSocket(`wss://${HOME}:${balancer.port}/v1`, {
      headers: withKey(key),
      ca: balancer.authority,
    });
    await once(socket, 'open');
    const isSnapshot = new Promise<void>((resolve) => {
      socket.on('message', (data) => {
        if ((JSON.parse(String(data)) as { t: string }).t === 'snapshot') resolve();
      });
    });
    const spec = { instrument: 'BTC.c.0', indicator: 'bars' };
    socket.send(JSON.stringify({ t: 'subscribe', sub: 's', ...spec }));
    await isSnapshot;
    socket.close();
    await once(socket, 'close');

    const through = await get(balancer, EXPORT, { headers: withKey(key) });
    assert.equal(through.status, 200, String(through.body));
    assert.ok(String(through.headers['x-export-token']).length > 3_500);
    assert.match(String(zstdDecompressSync(through.body)), /\n\{"t":"end","items":\d+\}\n$/);
    const sha256 = createHash('sha256').update(through.body).digest('base64');
    // The digest is a trailer, which this nginx drops.
    const { 'content-digest': digest } = through.trailers;
    assert.equal(digest, name === 'nginx' ? undefined : `sha-256=:${sha256}:`);
  });

  test(`${name}: whose request it is, is what the balancer saw, not what a client claims`, {
    skip: neighbourMissing(name),
  }, async () => {
    await using balancer = await balancerOf(name);
    const claimed = { ...withKey(boundKey), 'x-forwarded-for': ELSEWHERE };
    const refused = await get(balancer, '/v1/usage', { headers: claimed });
    assert.equal(refused.status, 403);
    const elsewhere = { headers: withKey(boundKey), localAddress: ELSEWHERE };
    const granted = await get(balancer, '/v1/usage', elsewhere);
    assert.equal(granted.status, 200, String(granted.body));
  });
}

test('haproxy: a stream over HTTP/2', { skip: neighbourMissing('haproxy') }, async () => {
  await using balancer = await balancerOf('haproxy');
  const session = connectHttp2(`https://${HOME}:${balancer.port}`, { ca: balancer.authority });
  const [settings] = await once(session, 'remoteSettings');
  assert.equal(settings.enableConnectProtocol, true);
  const asked = session.request(
    {
      ':method': 'CONNECT',
      ':protocol': 'websocket',
      ':scheme': 'https',
      ':path': '/v1',
      'sec-websocket-version': '13',
      ...withKey(key),
    },
    { endStream: false },
  );
  const [answered] = await once(asked, 'response');
  assert.equal(answered[':status'], 200);
  asked.close();
  session.close();
});

test('haproxy: a node that is not ready is asked no more, and when none is ready one is asked all the same', {
  skip: neighbourMissing('haproxy'),
}, async () => {
  const [a, b] = nodesNow();
  const unready = { ...a, internalPort: 1 };
  {
    await using balancer = await balancerOf('haproxy', [unready, b]);
    const deadline = AbortSignal.timeout(WAIT_LIMIT_MS);
    for (let alone = 0; alone < 10; ) {
      deadline.throwIfAborted();
      const earlier = await requestsAt(services[0]);
      assert.equal((await get(balancer, '/v1/status')).status, 200);
      alone = (await requestsAt(services[0])) === earlier ? alone + 1 : 0;
    }
  }
  await using balancer = await balancerOf('haproxy', [unready, { ...b, internalPort: 1 }]);
  const before = (await requestsAt(services[0])) + (await requestsAt(services[1]));
  for (let round = 0; round < 10; round += 1) {
    assert.equal((await get(balancer, '/v1/status')).status, 200);
  }
  assert.equal((await requestsAt(services[0])) + (await requestsAt(services[1])), before + 10);
});

test('a node that is gone is noticed by nobody behind a balancer', {
  skip: allMissing,
}, async () => {
  const there = names.filter((name) => !neighbourMissing(name));
  const balancers = await Promise.all(there.map((name) => balancerOf(name)));
  await services[0].stop('SIGTERM');
  for (const balancer of balancers) {
    await using gone = balancer;
    for (let round = 0; round < 6; round += 1) {
      const answer = await get(gone, '/v1/usage', { headers: withKey(key) });
      assert.equal(answer.status, 200, String(answer.body));
    }
  }
});
