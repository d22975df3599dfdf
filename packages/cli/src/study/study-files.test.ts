import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { RecordedIo, type RecordedIoOptions } from '../../testing/recorded-io.ts';
import { studyCommand } from '../commands/study.ts';

/** 2026-03-10 14:30:00 UTC. */
const BEGIN = 1_773_153_000_000n;
const scratch = mkdtempSync(join(tmpdir(), 'tapeloom-study-files-'));
after(() => rmSync(scratch, { recursive: true }));

const row = (ms: number, price: number, side = 'buy', size = 2) =>
  `${BEGIN + BigInt(ms)},${price},${size},${side}\n`;
const text = (...rows: readonly string[]) => `timestamp,price,size,side\n${rows.join('')}`;
function file(name: string, ...rows: readonly string[]): string {
  writeFileSync(join(scratch, name), text(...rows));
  return join(scratch, name);
}

async function study(words: readonly string[], options: RecordedIoOptions = {}) {
  const io = new RecordedIo(options);
  const code = await studyCommand.run(words, io);
  return { code, out: io.out, err: io.err };
}

test('what still forms where a file ends is shown, marked and counted, unless it is not wanted', async () => {
  const path = file('two.csv', row(0, 5_000), row(5_000, 5_000.25, 'sell'));
  const { out, err } = await study(['bars', '--file', path, '--tick', '0.25']);
  const bars = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.deepEqual([bars.length, bars[0].final, bars[0].data.trades], [1, false, 2]);
  assert.match(err, /1 of them still forms where the file ends.*--no-tail/);
  const without = await study(['bars', '--file', path, '--tick', '0.25', '--no-tail']);
  assert.equal(without.out, '');
});

test('a footprint is a ladder of prices where people look', async () => {
  const path = file(
    'ladder.csv',
    row(0, 5_000, 'buy', 3),
    row(1, 5_000.25, 'sell', 7),
    row(2, 5_000.25, 'buy', 1),
  );
  const words = ['footprint', '--file', path, '--tick', '0.25', '--format', 'table'];
  const lines = (await study(words)).out.split('\n');
  assert.match(lines[0]!, /14:30:00 forming +volume 11 +delta −3 +trades 3/);
  assert.match(lines[1]!, /5000\.25◂ +7 × 1 /);
  assert.match(lines[2]!, /5000\.00 +0 × 3/);
});

test('several files are one, in the order of their trades, and overlaps are told', async () => {
  const late = file('ES-2026-03-11.csv', row(60_000, 5_001), row(61_000, 5_002));
  const early = file('ES-2026-03-10.csv', row(0, 5_000), row(1_000, 5_000.25));
  const both = file(
    'ES.csv',
    row(0, 5_000),
    row(1_000, 5_000.25),
    row(60_000, 5_001),
    row(61_000, 5_002),
  );
  const tick = ['--tick', '0.25'];
  const joined = await study(['bars', '--file', late, early, ...tick]);
  assert.equal(joined.code, 0, joined.err);
  assert.equal(joined.out, (await study(['bars', '--file', both, ...tick])).out);
  assert.match(joined.err, /ES-2026-03-1\d\.csv and 1 more: CSV\n.*4 trades/);
  assert.doesNotMatch(joined.err, /overlap/);
  const pattern = await study(['bars', '--file', join(scratch, 'ES-*.csv'), ...tick]);
  assert.equal(pattern.out, joined.out);
  const twice = await study(['bars', '--file', early, both, ...tick]);
  assert.match(twice.err, /overlap in time: trades that both have count twice/);
  await assert.rejects(
    study(['bars', '--file', early, file('NQ.csv', row(0, 1)), ...tick]),
    /Choose an instrument with --symbol/,
  );
});

test('a pipe is read from the standard input, and nothing of it is left', async () => {
  const left = () => readdirSync(tmpdir()).filter((name) => name.startsWith('tapeloom-piped-'));
  const before = left();
  const piped = text(row(0, 5_000), row(5_000, 5_000.25));
  const { code, out } = await study(['bars', '--file', '-', '--tick', '0.25'], { piped });
  assert.equal(code, 0);
  assert.equal(JSON.parse(out).data.trades, 2);
  assert.deepEqual(left(), before);
  await assert.rejects(
    study(['bars', '--file', '-'], { answers: [] }),
    /reads standard input, but nothing is piped in/,
  );
});

test('a product gives its tick and its sessions, and the bitcoin of CME is its own', async () => {
  const path = file('plain.csv', row(0, 5_000), row(1, 5_000.5));
  const { err } = await study(['bars', '--file', path, '--product', 'ES']);
  assert.match(err, /Tick 0\.25, known of ES\..*\n.*those of cme-equity/);
  await assert.rejects(
    study(['bars', '--file', path, '--product', 'XX']),
    /--product must be one of ES/,
  );
  const coin = file('BTCH6.csv', row(0, 67_000), row(1, 67_005));
  const known = await study(['bars', '--file', coin]);
  assert.match(known.err, /Tick 5, known of BTC\..*\n.*those of cme-crypto/);
});

test('one-sided files, sums of seconds and sessions that are not whole are pointed at, with what to do', async () => {
  const sums = Array.from({ length: 150 }, (_, second) =>
    row(second * 1_000, 5_000 + (second % 4) / 4),
  );
  const seconds = await study(['bars', '--file', file('sums.csv', ...sums), '--product', 'ES']);
  assert.match(seconds.err, /look like sums of one-second bars/);
  assert.match(seconds.err, /use only the part that exists\. Add the files with the rest/);
  const many = Array.from({ length: 2_000 }, (_, index) => row(index * 7, 5_000 + (index % 4) / 4));
  const oneSided = await study(['bars', '--file', file('one.csv', ...many), '--product', 'ES']);
  assert.match(oneSided.err, /on 2026-03-10 all trades are of one side/);
  assert.doesNotMatch(oneSided.err, /one-second bars/);
});
