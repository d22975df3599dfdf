import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { on, once } from 'node:events';
import {
  existsSync,
  type FSWatcher,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  watch,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { NodeDisk } from '@tapeloom/server/platform/disk/node-disk';
import { nameCluster } from '@tapeloom/server/tape/shared/shared-directory';
import { assertContains, BARS, type Bars, finalBars } from './final-bars.ts';
import {
  killServices,
  NO_PAST,
  RunningService,
  type StreamMessage,
  WAIT_LIMIT_MS,
  within,
} from './running-service.ts';
import { tapeloom } from './tapeloom-command.ts';
import { SERVICE_OF_SOURCES } from './tapeloom-program.ts';

const directory = mkdtempSync(join(tmpdir(), 'tapeloom-service-'));
const data = join(directory, 'data');
const PRLIMIT = '/usr/bin/prlimit';
const prlimitMissing = existsSync(PRLIMIT)
  ? false
  : `only ${PRLIMIT} of Linux can keep the files of a running process from growing`;
after(() => {
  killServices();
  rmSync(directory, { recursive: true, force: true });
});

let barsAtStop: Bars;
/** When recording of the status began. */
let recordedAtFirst: string | null;

test('a first start, from the sources, becomes ready and serves REST, metrics and a stream [WS-01, EVT-25]', async () => {
  const args = ['--echo-port', '0'];
  const service = new RunningService({ data, args, env: NO_PAST, program: SERVICE_OF_SOURCES });
  await service.ready();
  assert.match(service.address('echo'), /^ws:\/\/127\.0\.0\.1:\d+$/);
  const echo = new WebSocket(service.address('echo'));
  echo.addEventListener('open', () => echo.send('é'));
  assert.equal(((await once(echo, 'message')) as [MessageEvent])[0].data, 'é');

  const status = await service.get('/v1/status');
  assert.equal(status.status, 200);
  const state = (await status.json()) as { engine: object; instruments: { symbol: string }[] };
  assert.deepEqual(state.engine, { state: 'up' });
  const listed = await service.get('/v1/instruments', service.authorized);
  const { instruments } = (await listed.json()) as { instruments: { symbol: string }[] };
  assert.deepEqual(
    instruments.map(({ symbol }) => symbol),
    state.instruments.map(({ symbol }) => symbol),
  );
  const refused = await service.get('/v1/instruments');
  assert.equal(refused.status, 401);
  const problem = (await refused.json()) as { type: string };
  assert.equal(problem.type, new URL('/docs/errors#unauthorized', service.address('REST')).href);
  assert.equal((await service.get('/v1/indicators')).status, 200);

  assert.equal((await service.internal('/health/ready')).status, 200);
  const metrics = await (await service.internal('/metrics')).text();
  assert.match(metrics, /^tapeloom_trades_total\{outcome="accepted"\} [1-9]/m);
  assert.match(metrics, /^tapeloom_trades_total\{outcome="offTickPrice"\} 0$/m);
  assert.match(metrics, /^tapeloom_ack_seconds_count [1-9]/m);
  assert.match(metrics, /^tapeloom_engine_up 1$/m);
  assert.match(metrics, /^tapeloom_days_missing 0$/m);
  assert.match(metrics, /^tapeloom_disk_free_bytes\{directory=".+"\} [1-9]/m);

  await assertLinkIsMailed(service);

  assert.match(service.address('stream'), /\/v1$/);
  barsAtStop = await finalBars(service);
  recordedAtFirst = (await statusHistory(service)).recordedSince;
  assert.notEqual(recordedAtFirst, null);

  const second = new RunningService({ data, env: NO_PAST });
  assert.equal(await second.ended, 1);
  assert.ok(second.errors.includes(data) && second.errors.includes(`process ${service.pid}`));

  const subscriber = service.connect();
  await subscriber.send({ t: 'ping' });
  await subscriber.first(({ t }) => t === 'pong');
  const { code } = await within(WAIT_LIMIT_MS, 'a stop', service.stop('SIGTERM'));
  assert.equal(code, 0, service.errors);
  const lives = service.errors.split('\n').filter((line) => line.includes('"version"'));
  assert.deepEqual(
    lives.map((line) => JSON.parse(line)).map(({ msg, version }) => [msg, typeof version]),
    ['starting', 'ready', 'stopping', 'stopped'].map((word) => [word, 'string']),
  );
  assert.match(metrics, /^tapeloom_build_info\{version=".+",node="v\d.+"\} 1$/m);
  assert.equal((await subscriber.closed).code, 1013);
  const last = subscriber.messages.at(-1);
  assert.deepEqual({ t: last?.t, kind: last?.kind }, { t: 'notice', kind: 'reconnect' });
  assert.doesNotMatch(service.errors, /svc_(?:live|test|token)_\w/, 'no key in the log');
});

async function statusHistory(service: RunningService) {
  const answer = await service.get('/v1/status/history');
  return (await answer.json()) as {
    readonly recordedSince: string | null;
    readonly days: readonly { readonly state: string }[];
  };
}

/** Only mail carries a sign-in link: no log has one, and no output without a terminal. */
async function assertLinkIsMailed(service: RunningService): Promise<void> {
  const { origin } = new URL(service.address('portal'));
  const { servers } = (await (await service.get('/v1/openapi.json')).json()) as {
    servers: { url: string }[];
  };
  assert.deepEqual(servers, [{ url: origin }]);
  const outbox = join(data, 'outbox');
  mkdirSync(outbox);
  const watched = watch(outbox);
  // Mails are written one after another, so when the second exists the first is counted.
  for (const [index, email] of ['ada@example.com', 'bob@example.com'].entries()) {
    const written = mailsReach(watched, outbox, index + 1);
    const asked = await fetch(`${origin}/v1/portal/sign-in`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin },
      body: JSON.stringify({ email }),
    });
    assert.equal(asked.status, 202);
    await within(WAIT_LIMIT_MS, 'the mail', written);
  }
  watched.close();
  const metrics = await (await service.internal('/metrics')).text();
  assert.match(metrics, /^tapeloom_mails_total\{outcome="sent"\} [12]$/m);
  const mailbox = await (await fetch(service.address('mails'))).text();
  assert.match(mailbox, new RegExp(`href="${origin}/sign-in#svc_link_\\w{33}"`));
  const [mail] = mailsIn(outbox);
  assert.equal(statSync(join(outbox, mail!)).mode & 0o777, 0o600);
  assert.doesNotMatch(service.output + service.errors, /svc_link|(?:ada|bob)@/);
}

function mailsIn(outbox: string): readonly string[] {
  return readdirSync(outbox).filter((name) => name.endsWith('.eml'));
}

/** Resolves when the folder has `count` mails. */
async function mailsReach(watched: FSWatcher, outbox: string, count: number): Promise<void> {
  for await (const _ of on(watched, 'change')) if (mailsIn(outbox).length >= count) return;
}

test('a later start finds the same bars and the same record of its status, and so does one after a kill', async () => {
  let expected = barsAtStop;
  for (const signal of ['SIGKILL', 'SIGINT'] as const) {
    const service = new RunningService({ data, env: NO_PAST });
    await service.ready();
    const bars = await finalBars(service);
    assertContains(bars, expected);
    expected = bars;
    const { recordedSince, days } = await statusHistory(service);
    assert.equal(recordedSince, recordedAtFirst);
    assert.deepEqual([days.length, days.at(-1)?.state], [90, 'up']);
    const { code } = await service.stop(signal);
    assert.equal(code, signal === 'SIGKILL' ? null : 0);
  }
});

test('another market on the same tape is refused, with the settings named', async () => {
  const service = new RunningService({ data, env: { TAPELOOM_SIM_SEED: '2' } });
  assert.equal(await service.ended, 1);
  assert.match(service.errors, /TAPELOOM_SIM_SEED/);
});

test('a tape that is of a cluster is refused by a service that is alone', async () => {
  const shared = join(directory, 'of-a-cluster');
  await nameCluster(new NodeDisk(), join(shared, 'tape'), 'SIM', 'cluster_1');
  const service = new RunningService({ data: shared, env: NO_PAST });
  assert.equal(await service.ended, 1);
  assert.match(
    service.errors,
    /belongs to the cluster cluster_1, but this process is not a node of a cluster/,
  );
});

test('an accelerated service streams updates, and its tape is refused by a service on real time', async () => {
  const service = new RunningService({ data, args: ['--speed', '600'], env: NO_PAST });
  await service.ready();
  const subscriber = service.connect();
  const request = { instrument: 'BTC.c.0', indicator: 'footprint', params: { size: 60 } };
  await subscriber.send({ t: 'subscribe', sub: 'fast', ...request });
  const isFinal = (message: StreamMessage) => message.t === 'upsert' && message.final === true;
  await subscriber.first(isFinal);
  const order = subscriber.messages.map(({ t }) => t);
  assert.equal(order[0], 'subscribed');
  assert.equal(order[1], 'status');
  assert.ok(order.indexOf('snapshot') < order.indexOf('upsert'));
  await subscriber.close();
  assert.equal((await service.stop('SIGTERM')).code, 0);

  const realTime = new RunningService({ data: `${data}-speed` });
  assert.equal(await realTime.ended, 1);
  assert.match(realTime.errors, /the tape reaches to .* but the clock shows/);

  const again = new RunningService({ data, args: ['--speed', '600'], env: NO_PAST });
  await again.ready();
  assert.equal((await again.stop('SIGTERM')).code, 0);

  // Trades of a clock that was ahead can be set aside, as the error explains.
  const [, time] = /tapeloom tape trim --after (\S+Z)/.exec(realTime.errors)!;
  const trimmed = await tapeloom(`${data}-speed`, 'tape', 'trim', '--after', time!, '--yes');
  assert.equal(trimmed.code, 0, trimmed.stderr);
  const inTime = new RunningService({ data: `${data}-speed`, env: NO_PAST });
  await inTime.ready();
  assert.equal((await inTime.stop('SIGTERM')).code, 0, inTime.errors);
});

test('wrong settings stop the start, each named, before anything is touched', async () => {
  const service = new RunningService({
    data: join(directory, 'untouched'),
    args: ['--speed', 'fast'],
    env: { TAPELOOM_PORT: 'http', TAPELOOM_PROT: '1' },
  });
  assert.equal(await service.ended, 2);
  for (const name of [
    'TAPELOOM_PORT must be a whole number from 0 to 65535; got "http"',
    'TAPELOOM_PROT is not a setting',
    '--speed',
  ]) {
    assert.ok(service.errors.includes(name), service.errors);
  }
  assert.equal(service.output, '');
});

test('help is printed and nothing is started', async () => {
  const service = new RunningService({ data: join(directory, 'untouched'), args: ['--help'] });
  assert.equal(await service.ended, 0);
  assert.match(service.output, /--speed N .*TAPELOOM_PORT /s);
  assert.equal(service.errors, '');
  assert.equal(existsSync(join(directory, 'untouched')), false);
});

test('a port that is taken stops the start with one sentence that names the variable and the port', async (t) => {
  const other = createServer().listen(0, '127.0.0.1');
  t.after(() => other.close());
  await once(other, 'listening');
  const port = String((other.address() as AddressInfo).port);
  for (const variable of ['TAPELOOM_PORT', 'TAPELOOM_INTERNAL_PORT']) {
    const service = new RunningService({ data, env: { [variable]: port } });
    assert.equal(await service.ended, 1);
    const sentence = `cannot listen on 127.0.0.1:${port} (${variable}): the port is in use`;
    // The log's messages about its tape are not errors.
    assert.equal(service.faults, `Tapeloom cannot start: ${sentence}\n`);
  }
});

test('when the log cannot be written the engine is down, and the service goes on answering [STATUS-01]', {
  skip: prlimitMissing,
}, async () => {
  const service = new RunningService({ data, env: NO_PAST });
  await service.ready();
  const before = await finalBars(service);
  const subscriber = service.connect();
  await subscriber.send({ t: 'subscribe', sub: 'bars', ...BARS });
  await subscriber.first(({ t }) => t === 'snapshot');
  // From now on no file of the process can grow, as on a full disk.
  execFileSync(PRLIMIT, ['--pid', String(service.pid), '--fsize=1']);
  await subscriber.first((message) => message.t === 'status' && message.state === 'down');
  const status = (await (await service.get('/v1/status')).json()) as { engine: object };
  assert.deepEqual(status.engine, { state: 'down' });
  assert.equal((await service.internal('/health/ready')).status, 503);
  assert.match(await (await service.internal('/metrics')).text(), /^tapeloom_engine_up 0$/m);
  await subscriber.send({ t: 'subscribe', sub: 'late', ...BARS });
  const refusal = await subscriber.first(({ t }) => t === 'error');
  assert.equal(refusal.code, 'SOURCE_DOWN');
  await within(WAIT_LIMIT_MS, 'a stop without a tape', service.stop('SIGTERM'));
  assert.match(service.errors, /no more trades are ingested/);

  const repaired = new RunningService({ data, env: NO_PAST });
  await repaired.ready();
  assertContains(await finalBars(repaired), before);
  assert.equal((await repaired.stop('SIGTERM')).code, 0);
});
