import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { ManualClock } from '../../../../simulation/clock/manual-clock.ts';
import { packedLines } from '../../testing/packed-lines.ts';
import { refusedAs } from '../../testing/refused-as.ts';
import { TableThread } from './table-thread.ts';
import { type TableSpec, TableWriter } from './table-writer.ts';

const SPEC: TableSpec = { format: 'arrow', indicator: 'session-levels', facts: { a: 'b' } };

function linesOf(...texts: readonly string[]) {
  return packedLines(texts);
}

function update(rank: number) {
  const data = { kind: 'open', price: rank };
  const rest = { cursor: `20261109.${rank}.0`, id: `20261109.${rank}`, final: true, ts: '1' };
  return JSON.stringify({ t: 'upsert', ...rest, data });
}

/** A thread whose faults are recorded, and which the test can kill. */
function startThread() {
  const faults: unknown[] = [];
  const workers: Worker[] = [];
  const clock = new ManualClock(0n);
  const tables = new TableThread({
    timers: clock,
    onFault: (error) => faults.push(error),
    startThread: () => {
      const worker = new Worker(new URL('./table-worker.ts', import.meta.url));
      workers.push(worker);
      return worker;
    },
  });
  return { tables, faults, workers, clock };
}

test('tables are written side by side as each alone, by one thread that starts with the first', async () => {
  const { tables, faults, workers } = startThread();
  await using _ended = tables;
  assert.equal(workers.length, 0);
  const specs: readonly TableSpec[] = [SPEC, { ...SPEC, format: 'parquet' }];
  const opened = await Promise.all(specs.map((spec) => tables.open('account', spec)));
  const written = opened.map(({ beginning }) => [...beginning]);
  for (let rank = 1; rank <= 3; rank += 1) {
    for (const [at, table] of opened.entries()) {
      written[at]!.push(...(await table.add(linesOf(update(rank), update(rank + 10)))));
    }
  }
  for (const [at, table] of opened.entries()) written[at]!.push(...(await table.end()));
  for (const [at, spec] of specs.entries()) {
    const writer = new TableWriter(spec);
    const alone = [writer.begin()];
    for (let rank = 1; rank <= 3; rank += 1) {
      alone.push(...writer.add(linesOf(update(rank), update(rank + 10))));
    }
    alone.push(...writer.end());
    assert.ok(Buffer.concat(written[at]!).equals(Buffer.concat(alone)));
  }
  assert.equal(workers.length, 1);
  assert.deepEqual(faults, []);
});

test('how many tables are open is limited, for one account and in all, and some are for who has none [SEC-37]', async () => {
  const { tables } = startThread();
  await using _ended = tables;
  const openMany = (account: string, count: number) =>
    Promise.all(Array.from({ length: count }, () => tables.open(account, SPEC)));
  const [first] = await openMany('a', 8);
  await assert.rejects(tables.open('a', SPEC), refusedAs('full'));
  for (const account of ['b', 'c']) await openMany(account, 8);
  await openMany('d', 1);
  await assert.rejects(tables.open('d', SPEC), refusedAs('full'));
  for (const account of ['e', 'f', 'g', 'h', 'i', 'j', 'k']) await openMany(account, 1);
  await assert.rejects(tables.open('l', SPEC), refusedAs('full'));
  first![Symbol.dispose]();
  first![Symbol.dispose]();
  await tables.open('l', SPEC);
  await assert.rejects(tables.open('l', SPEC), refusedAs('full'));
  assert.deepEqual([tables.openCount, tables.refusedCount], [32, 4]);
});

test('the next piece of work is of the account that was served longest ago [SEC-37]', async () => {
  const { tables } = startThread();
  await using _ended = tables;
  const many = await Promise.all(Array.from({ length: 4 }, () => tables.open('a', SPEC)));
  const other = await tables.open('b', SPEC);
  const served: string[] = [];
  const adds = many.map((table) => table.add(linesOf(update(1))).then(() => served.push('a')));
  adds.push(other.add(linesOf(update(1))).then(() => served.push('b')));
  await Promise.all(adds);
  assert.deepEqual(served, ['a', 'b', 'a', 'a', 'a']);
});

test('a table that fails is told, and takes no other with it', async () => {
  const { tables, faults, workers } = startThread();
  await using _ended = tables;
  const [good, bad] = await Promise.all([tables.open('a', SPEC), tables.open('a', SPEC)]);
  await bad.add(linesOf('not JSON'));
  await assert.rejects(bad.end(), refusedAs('failed'));
  await assert.rejects(bad.end(), refusedAs('failed'));
  await assert.rejects(tables.open('a', { ...SPEC, indicator: 'invented' }), refusedAs('failed'));
  assert.equal(faults.length, 2);
  assert.equal((await good.end()).length, 1);
  assert.equal(workers.length, 1);
});

test('a thread that dies takes its tables with it; the next table starts another', async () => {
  const { tables, faults, workers } = startThread();
  await using _ended = tables;
  const lost = await tables.open('a', SPEC);
  const pending = lost.end();
  const dead = workers[0]!.terminate();
  await assert.rejects(pending, refusedAs('failed'));
  await dead;
  await assert.rejects(lost.end(), refusedAs('failed'));
  lost[Symbol.dispose]();
  assert.equal(faults.length, 1);
  const next = await tables.open('a', SPEC);
  assert.equal((await next.end()).length, 1);
  assert.equal(workers.length, 2);
});

test('after its end nothing is written any more', async () => {
  const { tables, faults } = startThread();
  const table = await tables.open('a', SPEC);
  const pending = assert.rejects(table.end(), refusedAs('shut-down'));
  await tables[Symbol.asyncDispose]();
  await pending;
  await assert.rejects(table.end(), refusedAs('shut-down'));
  await assert.rejects(tables.open('a', SPEC), refusedAs('shut-down'));
  assert.deepEqual(faults, []);
});

test('a thread without tables ends, and the next table starts another', async () => {
  const { tables, faults, workers, clock } = startThread();
  await using _ended = tables;
  const first = await tables.open('account', SPEC);
  clock.advance(60_000);
  await first.add(linesOf(update(1)));
  first[Symbol.dispose]();
  clock.advance(15_000);
  // A table opened in time keeps the thread.
  const second = await tables.open('account', SPEC);
  clock.advance(60_000);
  await second.end();
  second[Symbol.dispose]();
  assert.equal(workers.length, 1);
  const exit = once(workers[0]!, 'exit');
  clock.advance(20_000);
  await exit;
  const third = await tables.open('account', SPEC);
  await third.end();
  third[Symbol.dispose]();
  assert.equal(workers.length, 2);
  assert.deepEqual(faults, []);
});
