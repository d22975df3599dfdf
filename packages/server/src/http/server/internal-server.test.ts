import assert from 'node:assert/strict';
import { once } from 'node:events';
import { get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { DevelopmentMailbox } from '../../mail/development-mailbox.ts';
import { addReading, createMetrics } from '../../platform/metrics.ts';
import { createInternalServer } from './internal-server.ts';

const registry = createMetrics();
const tape = { accepted: 5, refused: { zeroSize: 2, offTickPrice: 3 } };
addReading(registry, {
  name: 'tapeloom_trades_accepted_total',
  help: 'Trades that got a rank.',
  kind: 'counter',
  read: () => tape.accepted,
});
addReading(registry, {
  name: 'tapeloom_trades_refused_total',
  help: 'Trades that were refused, by reason.',
  kind: 'counter',
  label: 'reason',
  read: () => tape.refused,
});
addReading(registry, {
  name: 'tapeloom_topics',
  help: 'Topics that are open.',
  kind: 'gauge',
  read: () => 7,
});

const TOPIC = {
  topic: 'ESZ6/bars?size=1',
  engine: 0,
  state: 'live',
  lagMs: 3,
  subscribers: 12,
  ringBytes: 4_096,
  floor: '20261112.7.1',
  position: '20261112.9.0',
  ageMs: 2_000,
} as const;

let mailbox: DevelopmentMailbox | null = null;
let reason: string | null = 'the tape is being filled';
const server = createInternalServer({
  registry: async () => registry,
  notReadyBecause: () => reason,
  topics: () => [TOPIC],
  mailbox: (request) => mailbox?.answer(request) ?? null,
  onFault: (error) => assert.fail(String(error)),
});
let base = '';
before(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
after(() => server.close());

test('health tells a living process from one that is ready', async () => {
  assert.equal((await fetch(`${base}/health/live`)).status, 200);
  const waiting = await fetch(`${base}/health/ready`);
  assert.equal(waiting.status, 503);
  assert.deepEqual(await waiting.json(), { ready: false, reason: 'the tape is being filled' });
  reason = null;
  const ready = await fetch(`${base}/health/ready`);
  assert.equal(ready.status, 200);
  assert.deepEqual(await ready.json(), { ready: true, reason: null });
});

test('metrics are read when they are scraped, and counters never count twice', async () => {
  for (const accepted of [5, 8]) {
    tape.accepted = accepted;
    const text = await (await fetch(`${base}/metrics`)).text();
    assert.match(text, new RegExp(`^tapeloom_trades_accepted_total ${accepted}$`, 'm'));
    assert.match(text, /^tapeloom_trades_refused_total\{reason="zeroSize"\} 2$/m);
    assert.match(text, /^tapeloom_topics 7$/m);
    assert.match(text, /^process_cpu_seconds_total /m);
  }
});

test('the topics page lists what is computed and who shares it', async () => {
  const answer = await fetch(`${base}/topics`);
  assert.equal(answer.headers.get('content-type'), 'application/json');
  assert.deepEqual(await answer.json(), { topics: [TOPIC] });
});

test('the mailbox is there only for who develops, and for this machine', async () => {
  assert.equal((await fetch(`${base}/mailbox`)).status, 404);
  mailbox = new DevelopmentMailbox({ now: () => new Date(0), directory: '/data/outbox' });
  const page = await fetch(`${base}/mailbox`);
  assert.equal(page.status, 200);
  assert.match(page.headers.get('content-type')!, /^text\/html/);
  assert.equal(page.headers.get('cache-control'), 'no-store');
  assert.match(page.headers.get('content-security-policy')!, /default-src 'none'/);
  const { port } = new URL(base);
  const stranger = get({
    host: '127.0.0.1',
    port,
    path: '/mailbox',
    headers: { host: 'evil.example' },
  });
  const [answer] = await once(stranger, 'response');
  assert.equal(answer.statusCode, 403);
  answer.resume();
  mailbox = null;
});

test('a web page that reaches this machine under a name of its own reads nothing', async () => {
  const { port } = new URL(base);
  const statusOf = async (path: string) => {
    const asked = get({ host: '127.0.0.1', port, path, headers: { host: 'evil.example' } });
    const [answer] = await once(asked, 'response');
    answer.resume();
    return answer.statusCode;
  };
  assert.equal(await statusOf('/metrics'), 403);
  assert.equal(await statusOf('/topics'), 403);
  // Load balancers use host names of their own.
  assert.equal(await statusOf('/health/live'), 200);
});

test('anything else is refused plainly', async () => {
  assert.equal((await fetch(`${base}/v1/status`)).status, 404);
  assert.equal((await fetch(`${base}/metrics`, { method: 'POST' })).status, 405);
});
