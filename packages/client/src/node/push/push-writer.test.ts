import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PushReceipt } from '@tapeloom/protocol/push';
import fc from 'fast-check';
import type { TapeloomError } from '../../tapeloom-error.ts';
import { PushError } from './push-error.ts';
import type { PushWriterOptions } from './push-options.ts';
import { type PushTrade, PushWriter } from './push-writer.ts';

const trade = (id: number): PushTrade => ({
  contract: 'ESZ6',
  id,
  ts: 1_794_830_400_000_000_000n + BigInt(id),
  price: '5000.25',
  size: 1,
  side: 'buy',
});
const receiptOf = (batch: string): PushReceipt => ({
  batch,
  repeated: false,
  counts: null,
  gaps: [],
  watermark: null,
});

interface Call {
  readonly url: string;
  readonly batch: string | null;
  readonly ids: readonly number[];
  readonly upTo: string | null;
  readonly missingBefore: string | null;
  readonly headers: Headers;
}

/** What the network does with a request. `lost`: the service takes it, but the answer never comes. */
type Fate =
  | 'take'
  | 'lost'
  | 'fail'
  | { readonly status: number; readonly headers?: Record<string, string>; readonly body?: object };

/** A service that takes each batch id once, and a network that follows a script. */
function stage(options: Partial<PushWriterOptions> = {}, fates: Fate[] = []) {
  const calls: Call[] = [];
  const taken = new Map<string, readonly number[]>();
  const retries: TapeloomError[] = [];
  const waitsMs: number[] = [];
  let nowMs = 0;
  let timers: { readonly dueMs: number; readonly call: () => void }[] = [];
  const held: (() => void)[] = [];
  let isHolding = false;
  const service = (async (input: string, init: RequestInit) => {
    const url = new URL(input);
    const headers = new Headers(init.headers);
    const batch = headers.get('tapeloom-batch');
    const lines = String(init.body ?? '')
      .split('\n')
      .filter(Boolean);
    const ids = lines.map((line) => Number(JSON.parse(line).id));
    const time = (name: string) => url.searchParams.get(name);
    const times = { upTo: time('upTo'), missingBefore: time('missingBefore') };
    calls.push({ url: url.origin, batch, ids, ...times, headers });
    if (isHolding) await new Promise<void>((resolve) => held.push(resolve));
    const fate = fates.shift() ?? 'take';
    if (fate === 'fail') throw new TypeError('fetch failed');
    if (typeof fate === 'object') {
      const { status, headers: more = {}, body = {} } = fate;
      return new Response(status === 307 ? null : JSON.stringify(body), { status, headers: more });
    }
    if (!taken.has(batch!)) taken.set(batch!, ids);
    if (fate === 'lost') throw new TypeError('terminated');
    return Response.json(batch === null ? { dataset: 'OURS' } : receiptOf(batch));
  }) as typeof fetch;
  let batches = 0;
  const writer = new PushWriter({
    urls: ['http://a:9464', 'http://b:9464/'],
    secret: 'secret',
    fetch: service,
    random: () => 0,
    newBatchId: () => `b${++batches}`,
    onRetry: (error) => retries.push(error),
    clock: {
      now: () => nowMs,
      after: (ms, call) => {
        const timer = { dueMs: nowMs + ms, call };
        timers.push(timer);
        const cancel = () => {
          timers = timers.filter((one) => one !== timer);
        };
        return { cancel };
      },
    },
    ...options,
  });
  /** Lets time pass: short timers fire, those of requests do not. */
  const settle = async () => {
    for (let turn = 0; turn < 400; turn += 1) {
      await new Promise((resolve) => setImmediate(resolve));
      const next = timers
        .filter(({ dueMs }) => dueMs - nowMs < 30_000)
        .sort((a, b) => a.dueMs - b.dueMs)[0];
      if (next === undefined) continue;
      timers = timers.filter((one) => one !== next);
      waitsMs.push(next.dueMs - nowMs);
      nowMs = Math.max(nowMs, next.dueMs);
      next.call();
    }
  };
  const hold = () => {
    isHolding = true;
    return () => {
      isHolding = false;
      for (const release of held.splice(0)) release();
    };
  };
  const onTape = () => [...taken.values()].flat();
  return { writer, calls, onTape, retries, waitsMs, settle, hold, timers: () => timers };
}

async function failureOf(work: Promise<unknown>): Promise<TapeloomError> {
  return await work.then(
    () => assert.fail('it succeeded'),
    (error: TapeloomError) => error,
  );
}

test('trades go in batches by count, by time and by a flush', async () => {
  const { writer, calls, settle, onTape, waitsMs, timers } = stage({ batchTrades: 3 });
  for (let id = 1; id <= 7; id += 1) await writer.write(trade(id));
  await settle();
  assert.deepEqual(
    calls.map(({ ids }) => ids),
    [[1, 2, 3], [4, 5, 6], [7]],
  );
  assert.deepEqual(waitsMs, [50]);
  await writer.write(trade(8));
  await writer.flush();
  assert.deepEqual(onTape(), [1, 2, 3, 4, 5, 6, 7, 8]);
  assert.equal(writer.pendingTrades, 0);
  const { headers } = calls[0]!;
  assert.deepEqual(
    [headers.get('authorization'), headers.get('content-type'), headers.get('tapeloom-batch')],
    ['Bearer secret', 'application/x-ndjson', 'b1'],
  );
  await writer.close();
  assert.deepEqual(timers(), []);
});

test('a batch is repeated with its id until it is acknowledged, and is taken once', async () => {
  const { writer, calls, onTape, retries, settle } = stage({}, [
    'fail',
    'lost',
    { status: 503, body: { code: 'NO_LEADER', detail: 'nobody leads' } },
    { status: 502 },
  ]);
  await writer.write(trade(1));
  const flushed = writer.flush();
  await settle();
  await flushed;
  assert.deepEqual(
    calls.map(({ batch }) => batch),
    ['b1', 'b1', 'b1', 'b1', 'b1'],
  );
  assert.deepEqual(onTape(), [1]);
  assert.deepEqual(
    retries.map(({ code }) => code),
    ['NETWORK', 'NETWORK', 'NO_LEADER', 'HTTP_502'],
  );
  // Node by node.
  assert.deepEqual(
    calls.map(({ url }) => url.at(7)),
    ['a', 'b', 'a', 'b', 'a'],
  );
});

test('a busy service is asked again after the time that it says', async () => {
  const busy = {
    status: 429,
    headers: { 'retry-after': '3' },
    body: { code: 'BUSY', detail: 'wait' },
  };
  const { writer, waitsMs, settle } = stage({}, [busy]);
  await writer.write(trade(1));
  const flushed = writer.flush();
  await settle();
  await flushed;
  assert.deepEqual(waitsMs, [3_000]);
});

test('a redirect is followed to a configured node only; the secret goes nowhere else', async () => {
  const moved = (location: string): Fate => ({ status: 307, headers: { location } });
  const followed = stage({}, [moved('http://b:9464/internal/trades?x=1')]);
  await followed.writer.write(trade(1));
  await followed.writer.flush();
  await followed.writer.write(trade(2));
  await followed.writer.flush();
  assert.deepEqual(
    followed.calls.map(({ url }) => url),
    ['http://a:9464', 'http://b:9464', 'http://b:9464'],
  );
  const strange = stage({}, [moved('http://evil:9464/internal/trades')]);
  await strange.writer.write(trade(1));
  const failure = await failureOf(strange.writer.flush());
  assert.equal(failure.code, 'CONFIGURATION');
  assert.match(failure.message, /names http:\/\/evil:9464.* not among the option "urls"/);
  assert.equal(strange.calls.length, 1);
  const [toA, toB] = [moved('http://a:9464/'), moved('http://b:9464/')];
  const circle = stage({}, [toB, toA, toB, toA, toB]);
  await circle.writer.write(trade(1));
  const flushed = circle.writer.flush();
  await circle.settle();
  await flushed;
  assert.ok(circle.retries.length > 0, 'a circle is not run without a pause');
});

for (const [status, code] of [
  [400, 'INVALID_BATCH'],
  [409, 'BATCH_CONFLICT'],
  [422, 'OFF_TICK_PRICE'],
  [401, 'UNAUTHORIZED'],
] as const) {
  test(`${status} ends the writer with ${code}, and nothing later overtakes`, async () => {
    const errors = [{ line: 1, path: '/price', message: 'is off' }];
    const offTick = { contract: 'ESZ6', price: '1.3', tick: '0.25', line: 1 };
    const body = { code, detail: 'no', errors, offTick: status === 422 ? offTick : undefined };
    const { writer, calls } = stage({ batchTrades: 1 }, [{ status, body }]);
    await writer.write(trade(1));
    const failure = await failureOf(writer.flush());
    assert.ok(failure instanceof PushError);
    assert.deepEqual([failure.code, failure.status, failure.batch], [code, status, 'b1']);
    assert.deepEqual(failure.faults, errors);
    assert.deepEqual(failure.offTick ?? undefined, body.offTick);
    for (const again of [writer.write(trade(2)), writer.flush(), writer.close()]) {
      assert.equal(await failureOf(again), failure);
    }
    assert.equal(calls.length, 1);
  });
}

test('write waits while too much is pending', async () => {
  const { writer, hold, onTape } = stage({ batchTrades: 2, pendingTradesMax: 4 });
  const release = hold();
  for (let id = 1; id <= 4; id += 1) await writer.write(trade(id));
  let isTaken = false;
  const fifth = writer.write(trade(5)).then(() => {
    isTaken = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(isTaken, false);
  release();
  await fifth;
  await writer.close();
  assert.deepEqual(onTape(), [1, 2, 3, 4, 5]);
});

test('a venue time goes out behind every trade written before it, and stays with later batches', async () => {
  const { writer, calls, hold } = stage({ batchTrades: 2 });
  const release = hold();
  for (let id = 1; id <= 2; id += 1) await writer.write(trade(id));
  for (let id = 3; id <= 5; id += 1) await writer.write(trade(id));
  writer.upTo(100n);
  await writer.write(trade(6));
  writer.upTo(150n);
  writer.upTo('200');
  release();
  await writer.flush();
  await writer.write(trade(7));
  await writer.flush();
  writer.upTo(300n);
  await writer.flush();
  assert.deepEqual(
    calls.map(({ ids, upTo }) => [ids.length, upTo]),
    [
      [2, null],
      [2, null],
      [2, '200'],
      [1, '200'],
      [0, '300'],
    ],
  );
});

test('a loss goes out with the first trades behind it, and once', async () => {
  const { writer, calls, hold } = stage({ batchTrades: 10 });
  const release = hold();
  await writer.write(trade(1));
  const first = writer.flush();
  await writer.write(trade(2));
  writer.missingBefore(50n);
  for (let id = 7; id <= 8; id += 1) await writer.write(trade(id));
  release();
  await first;
  await writer.flush();
  writer.missingBefore(60n);
  writer.missingBefore('70');
  await writer.flush();
  await writer.write(trade(9));
  await writer.flush();
  assert.deepEqual(
    calls.map(({ ids, missingBefore }) => [ids, missingBefore]),
    [
      [[1], null],
      [[2], null],
      [[7, 8], '50'],
      [[], '70'],
      [[9], null],
    ],
  );
});

test('a writer that gives up says why; a closed one takes nothing', async () => {
  const { writer, settle } = stage({ giveUpAfterMs: 1_000 }, Array<Fate>(50).fill('fail'));
  await writer.write(trade(1));
  const failed = failureOf(writer.flush());
  await settle();
  assert.equal((await failed).code, 'NETWORK');
  const other = stage();
  await other.writer.close();
  assert.equal((await failureOf(other.writer.write(trade(1)))).code, 'CLOSED');
});

test('the position is read from the service', async () => {
  const { writer } = stage({ dataset: 'OURS' });
  assert.deepEqual(await writer.position(), { dataset: 'OURS' });
});

test('wrong options are named', () => {
  for (const [options, name] of [
    [{ urls: [] }, 'urls'],
    [{ urls: 'a:9464' }, 'urls'],
    [{ urls: 'http://x?y' }, 'urls'],
    [{ batchTrades: 0 }, 'batchTrades'],
  ] as const) {
    assert.throws(() => stage(options), new RegExp(`The option "${name}" must`));
  }
});

test('whatever the network does, every trade is taken once and in order', async () => {
  const fate = fc.constantFrom<Fate>(
    'take',
    'lost',
    'fail',
    { status: 503 },
    { status: 429, headers: { 'retry-after': '1' } },
    { status: 307, headers: { location: 'http://b:9464/' } },
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(fate, { maxLength: 12 }),
      fc.array(fc.boolean(), { minLength: 1, maxLength: 15 }),
      async (fates, flushes) => {
        const { writer, onTape, settle } = stage({ batchTrades: 2, pendingTradesMax: 5 }, fates);
        const written = (async () => {
          for (const [index, isFlush] of flushes.entries()) {
            await writer.write(trade(index + 1));
            if (isFlush) await writer.flush();
          }
          await writer.close();
        })();
        await settle();
        await written;
        assert.deepEqual(
          onTape(),
          flushes.map((_, index) => index + 1),
        );
      },
    ),
    { numRuns: 40 },
  );
});
