import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { after, before, beforeEach, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import type { PushPosition, PushProblem } from '@tapeloom/protocol/push';
import { ManualClock } from '../../../../../simulation/clock/manual-clock.ts';
import { createMetrics } from '../../platform/metrics.ts';
import type { PushAnswer, PushRequest } from '../../platform/push-exchange.ts';
import { createInternalServer } from '../server/internal-server.ts';
import { BODY_MS_MAX } from './push-body.ts';
import type { PushLeader } from './push-desk.ts';
import { PushRoutes } from './push-routes.ts';

const SECRET = 's'.repeat(32);
const RECEIPT = { batch: 'b1', repeated: false, counts: null, gaps: [], watermark: null };
const POSITION: PushPosition = { dataset: 'OURS', watermark: '5', contracts: [], gaps: [] };

let datasets: string[];
let leader: PushLeader;
let answer: (dataset: string, request: PushRequest) => Promise<PushAnswer>;
let pushed: (readonly [string, PushRequest])[];
let faults: unknown[];
beforeEach(() => {
  datasets = ['OURS'];
  leader = { t: 'here' };
  answer = async () => ({ t: 'acknowledged', receipt: RECEIPT });
  pushed = [];
  faults = [];
});

const clock = new ManualClock(0n);
const desk = {
  datasets: () => datasets,
  leaderOf: () => leader,
  push: (dataset: string, request: PushRequest) => {
    pushed.push([dataset, request]);
    return answer(dataset, request);
  },
  position: async () => POSITION,
};
const secret = { accepts: async (given: string | undefined) => given === `Bearer ${SECRET}` };
const onFault = (error: unknown) => faults.push(error);
let hasSecret = true;
let nowNs = 0n;
const [withSecret, without] = [secret, null].map(
  (one) =>
    new PushRoutes({ desk, secret: one, clock, monotonicNs: () => (nowNs += 1_500_000n), onFault }),
);
const server = createInternalServer({
  registry: async () => createMetrics(),
  notReadyBecause: () => null,
  topics: () => [],
  push: { handle: (...of) => (hasSecret ? withSecret : without)!.handle(...of) },
  onFault: (error) => assert.fail(String(error)),
});
let base = '';
before(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
after(() => {
  server.close();
  server.closeAllConnections();
});

const HEADERS = {
  authorization: `Bearer ${SECRET}`,
  'content-type': 'application/x-ndjson',
  'tapeloom-batch': 'b1',
};
const post = (
  query = '',
  headers: Record<string, string> = {},
  body: string | Uint8Array<ArrayBuffer> = 'a body',
) =>
  fetch(`${base}/internal/trades${query}`, {
    method: 'POST',
    headers: { ...HEADERS, ...headers },
    body,
    redirect: 'manual',
  });
async function problemOf(response: Response): Promise<PushProblem> {
  assert.match(response.headers.get('content-type')!, /^application\/problem\+json/);
  const problem = (await response.json()) as PushProblem;
  assert.equal(problem.status, response.status);
  return problem;
}

test('a batch reaches the desk with its parameters, and the receipt comes back', async () => {
  const response = await post('?dataset=OURS&upTo=2026-11-16T12:00:00Z&firstId=7', {
    'content-type': 'application/x-dbn; charset=binary',
  });
  assert.equal(response.status, 200);
  assert.deepEqual(await response.json(), RECEIPT);
  assert.equal(response.headers.get('server-timing'), 'push;dur=1.50');
  assert.deepEqual(pushed, [
    [
      'OURS',
      {
        batchId: 'b1',
        contentType: 'application/x-dbn',
        upTo: 1_794_830_400_000_000_000n,
        missingBefore: null,
        firstId: 7,
        body: new TextEncoder().encode('a body'),
      },
    ],
  ]);
  await post();
  assert.deepEqual(
    [pushed[1]![0], pushed[1]![1].upTo, pushed[1]![1].firstId],
    ['OURS', null, null],
  );
});

test('the position is read with the same secret', async () => {
  const read = (headers: Record<string, string>) =>
    fetch(`${base}/internal/trades/position`, { headers });
  assert.deepEqual(await (await read(HEADERS)).json(), POSITION);
  assert.equal((await read({})).status, 401);
});

test('without the secret nothing is read, and without a configured one there is no endpoint', async () => {
  const wrong = await post('', { authorization: `Bearer ${'x'.repeat(32)}` });
  assert.equal((await problemOf(wrong)).code, 'UNAUTHORIZED');
  assert.equal(wrong.headers.get('www-authenticate'), 'Bearer');
  hasSecret = false;
  const none = await post();
  assert.equal(none.status, 404);
  assert.match((await problemOf(none)).detail, /TAPELOOM_PUSH_SECRET_FILE is not set/);
  hasSecret = true;
  assert.deepEqual(pushed, []);
});

test('bad headers and parameters are named', async () => {
  const bad: readonly (readonly [string, Record<string, string>, number, RegExp])[] = [
    ['', { 'tapeloom-batch': '' }, 400, /^Tapeloom-Batch must be an id of 1 to 128/],
    ['', { 'tapeloom-batch': 'x'.repeat(129) }, 400, /^Tapeloom-Batch/],
    ['', { 'tapeloom-batch': 'a b' }, 400, /^Tapeloom-Batch/],
    [
      '',
      { 'content-type': 'application/json' },
      415,
      /application\/x-ndjson or application\/x-dbn/,
    ],
    ['', { 'content-encoding': 'gzip' }, 415, /Content-Encoding is not accepted/],
    ['?upTo=1794830400', {}, 400, /^upTo must be nanoseconds .* looks like seconds/],
    ['?firstId=-1', {}, 400, /^firstId must be a whole number/],
    [
      '?upto=5',
      {},
      400,
      /^upto is not known\. The parameters are dataset, upTo, missingBefore, firstId/,
    ],
    ['?dataset=THEIRS', {}, 404, /no such dataset.* are: OURS/],
  ];
  for (const [query, headers, status, detail] of bad) {
    const response = await post(query, headers);
    assert.equal(response.status, status, query);
    assert.match((await problemOf(response)).detail, detail);
  }
  assert.deepEqual(pushed, []);
  const method = await fetch(`${base}/internal/trades`, { headers: HEADERS });
  assert.deepEqual([method.status, method.headers.get('allow')], [405, 'POST']);
});

test('with several datasets one must be named; with none there is none', async () => {
  datasets = ['OURS', 'THEIRS'];
  assert.match((await problemOf(await post())).detail, /dataset is missing.*: OURS, THEIRS/);
  assert.equal((await post('?dataset=THEIRS')).status, 200);
  datasets = [];
  const none = await post();
  assert.equal(none.status, 404);
  assert.match((await problemOf(none)).detail, /are: none/);
});

test('a refusal of the tape comes with its fields', async () => {
  const offTick = { contract: 'ESZ6', price: '1.3', tick: '0.25', line: 3 };
  const errors = [{ line: 3, path: '/price', message: 'is 1.3' }];
  answer = async () => ({ t: 'refused', code: 'OFF_TICK_PRICE', detail: 'no', errors, offTick });
  const refused = await post();
  assert.equal(refused.status, 422);
  assert.deepEqual(await problemOf(refused), {
    type: 'about:blank',
    title: 'Price off the tick grid',
    status: 422,
    detail: 'no',
    code: 'OFF_TICK_PRICE',
    errors,
    offTick,
  });
  answer = async () => ({ t: 'refused', code: 'BUSY', detail: 'wait', retryAfterSeconds: 3 });
  const busy = await post();
  assert.deepEqual([busy.status, busy.headers.get('retry-after')], [429, '3']);
});

test('a fault of the service reveals nothing', async () => {
  answer = async () => assert.fail('a secret detail');
  const response = await post();
  assert.equal(response.status, 500);
  assert.doesNotMatch(JSON.stringify(await problemOf(response)), /secret detail/);
  assert.equal(faults.length, 1);
});

test('a node that does not lead names the leader, or asks to wait when there is none', async () => {
  leader = { t: 'elsewhere', url: 'http://10.0.0.12:9464' };
  const elsewhere = await post('?dataset=OURS&upTo=0');
  assert.equal(elsewhere.status, 307);
  assert.equal(
    elsewhere.headers.get('location'),
    'http://10.0.0.12:9464/internal/trades?dataset=OURS&upTo=0',
  );
  const position = await fetch(`${base}/internal/trades/position`, {
    headers: HEADERS,
    redirect: 'manual',
  });
  assert.deepEqual(
    [position.status, position.headers.get('location')],
    [307, 'http://10.0.0.12:9464/internal/trades/position'],
  );
  leader = { t: 'nobody' };
  const nobody = await post();
  assert.deepEqual([nobody.status, nobody.headers.get('retry-after')], [503, '1']);
  assert.equal((await problemOf(nobody)).code, 'NO_LEADER');
  leader = { t: 'unaddressed', node: 'serve-2' };
  const unaddressed = await post();
  assert.equal(unaddressed.status, 503);
  assert.match((await problemOf(unaddressed)).detail, /serve-2 leads .* Set TAPELOOM_INTERNAL_URL/);
  assert.deepEqual(pushed, []);
});

/** A request by hand: what is written, and what comes back until `done` matches. */
async function byHand(lines: readonly string[]) {
  const socket = connect(Number(new URL(base).port), '127.0.0.1');
  await once(socket, 'connect');
  let text = '';
  socket.setEncoding('utf8').on('data', (piece) => {
    text += piece;
  });
  socket.on('error', () => undefined);
  const head = [
    'POST /internal/trades HTTP/1.1',
    'host: localhost',
    ...Object.entries(HEADERS).map(([name, value]) => `${name}: ${value}`),
    ...lines,
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  const until = async (done: RegExp) => {
    while (!done.test(text)) await wait(5);
    return text;
  };
  return { socket, until };
}

test('a body that is announced too large is refused before it is read', async () => {
  const { socket, until } = await byHand(['content-length: 16777217']);
  assert.match(await until(/TOO_LARGE/), /^HTTP\/1\.1 413 /);
  socket.destroy();
});

test('a body that grows too large without saying so is refused, and the sender hears it', async () => {
  const piece = new Uint8Array(1_048_576);
  const body = new ReadableStream({
    pull: (stream) => {
      stream.enqueue(piece);
      sent += 1;
      if (sent === 20) stream.close();
    },
  });
  let sent = 0;
  const response = await fetch(`${base}/internal/trades`, {
    method: 'POST',
    headers: HEADERS,
    body,
    duplex: 'half',
  } as RequestInit);
  assert.equal(response.status, 413);
  assert.deepEqual(pushed, []);
});

test('a client that dies in the middle of a body leaves nothing', async () => {
  for (const lines of [['content-length: 100'], ['transfer-encoding: chunked']]) {
    const { socket } = await byHand(lines);
    socket.write(lines[0]!.startsWith('c') ? 'half' : '4\r\nhalf\r\n');
    await wait(20);
    socket.destroy();
    await once(socket, 'close');
  }
  assert.equal((await post()).status, 200);
  assert.equal(pushed.length, 1);
  // No timer is left.
  while (clock.timerCount > 0) await wait(5);
});

test('a body that comes too slowly is given up', async () => {
  const { socket, until } = await byHand(['content-length: 100']);
  socket.write('half');
  while (clock.timerCount === 0) await wait(5);
  clock.advance(BODY_MS_MAX);
  assert.match(await until(/BODY_TOO_SLOW/), /^HTTP\/1\.1 408 /);
  socket.destroy();
  assert.deepEqual(pushed, []);
});

test('bodies in memory have a budget, which is free again afterwards', async () => {
  const held = Promise.withResolvers<void>();
  answer = async () => {
    await held.promise;
    return { t: 'acknowledged', receipt: RECEIPT };
  };
  const large = new Uint8Array(16 * 1_048_576);
  const first = [1, 2, 3, 4].map(() => post('', {}, large));
  while (pushed.length < 4) await wait(5);
  const refused = await post();
  assert.deepEqual([refused.status, refused.headers.get('retry-after')], [429, '1']);
  held.resolve();
  for (const response of await Promise.all(first)) assert.equal(response.status, 200);
  assert.equal((await post()).status, 200);
});
