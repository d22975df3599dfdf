import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  watch,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { zstdDecompressSync } from 'node:zlib';
import { TRADES_A_DAY } from '../../../server/testing/history/history-market.ts';
import { HistoryRig, TWO_DAYS } from '../../testing/history-rig.ts';
import { RecordedIo } from '../../testing/recorded-io.ts';

const MAIN = join(import.meta.dirname, '../main.ts');
const scratch = mkdtempSync(join(tmpdir(), 'export-'));
let rig: HistoryRig;
before(async () => {
  rig = await HistoryRig.start();
});
after(async () => {
  await rig[Symbol.asyncDispose]();
  rmSync(scratch, { recursive: true });
});

const COST = 2 * TRADES_A_DAY;
const BARS = ['ESZ6', 'bars', ...TWO_DAYS, '--params', '{"bar":"tick","size":2}'];
const EXPORT = ['export', ...BARS];
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const linesOf = (path: string) => zstdDecompressSync(readFileSync(path)).toString();

test('lines stay compressed, and end with the digest and the number of objects', async () => {
  const out = join(scratch, 'bars.ndjson.zst');
  const { code, err, units } = await rig.run([...EXPORT, '--yes', '--out', out]);
  assert.deepEqual([code, units], [0, COST], err);
  const lines = linesOf(out)
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.deepEqual([lines[0].t, lines.at(-1)], ['header', { t: 'end', items: lines.length - 2 }]);
  assert.match(err, /: 900 objects, [\d.]+ KiB for 1,800 compute units, [\d.]+ s\.\n/);
  assert.ok(err.endsWith(`sha-256 ${sha256(readFileSync(out))}\n`));
});

test('every other format holds the same results', async () => {
  const { out: history } = await rig.run(['history', ...BARS, '--yes']);
  const csv = await rig.run(['history', ...BARS, '--yes', '--format', 'csv']);
  const table = await rig.run(['history', ...BARS, '--yes', '--format', 'table']);
  const formats: readonly (readonly [readonly string[], string | null])[] = [
    [['--expand'], null],
    [['--format', 'csv'], csv.out],
    [['--format', 'table'], table.out],
    [['--format', 'parquet'], null],
    [['--format', 'arrow'], null],
  ];
  for (const [words, text] of formats) {
    const out = join(scratch, `same${words.join('')}`);
    const {
      code,
      out: said,
      err,
      units,
    } = await rig.run([...EXPORT, ...words, '--yes', '--json', '--out', out]);
    assert.deepEqual([code, err, units], [0, '', COST], `${words}`);
    const bytes = readFileSync(out);
    const facts = JSON.parse(said);
    assert.deepEqual(
      [facts.objects, facts.bytes, facts.sha256, facts.computeUnits, facts.out, facts.isResumed],
      [900, bytes.length, sha256(bytes), COST, out, false],
    );
    assert.equal(facts.contract, 'ESZ6', `${words}`);
    if (text !== null) assert.equal(bytes.toString(), text);
    if (words[0] === '--expand')
      assert.equal(bytes.toString().split('\n').slice(1, -2).join('\n'), history.trimEnd());
  }
  assert.deepEqual(
    readdirSync(scratch).filter((name) => /\.(?:part|tmp|json|zst)$/.test(name)),
    ['bars.ndjson.zst'],
  );
});

test('the cost is asked about as for history', async () => {
  const out = join(scratch, 'asked.zst');
  const no = await rig.run([...EXPORT, '--out', out], { isTerminal: true, answers: ['n'] });
  assert.deepEqual([no.code, no.units, existsSync(out)], [1, 0, false]);
  const nobody = await rig.run([...EXPORT, '--out', out]);
  assert.deepEqual([nobody.code, nobody.units], [2, 0]);
  assert.match(
    nobody.err,
    /tapeloom export: this costs 1,800 compute units and needs a confirmation, but there is no terminal/,
  );
  const yes = await rig.run([...EXPORT, '--out', out], { isTerminal: true, answers: ['y'] });
  assert.deepEqual([yes.code, yes.units, existsSync(out)], [0, COST, true]);
});

test('a file that is there is not replaced, and paid for again, without --force', async () => {
  const out = join(scratch, 'there.zst');
  writeFileSync(out, 'mine');
  const refused = await rig.run([...EXPORT, '--yes', '--out', out]);
  assert.deepEqual([refused.code, refused.units, readFileSync(out, 'utf8')], [1, 0, 'mine']);
  assert.match(refused.err, /there\.zst already exists; --force replaces it/);
  const forced = await rig.run([...EXPORT, '--yes', '--out', out, '--force']);
  assert.deepEqual([forced.code, forced.units], [0, COST]);
  assert.match(linesOf(out), /^\{"t":"header"/);
});

/** Whether the record of an export exists and has a position. */
function isUnderWay(directory: string): boolean {
  const record = readdirSync(directory).find((name) => name.endsWith('.part.json'));
  if (record === undefined) return false;
  return JSON.parse(readFileSync(join(directory, record), 'utf8')).place !== null;
}

/** Resolves when a part of an export is recorded, even if it was before the call. */
async function underWay(directory: string, signal?: AbortSignal): Promise<void> {
  const found = Promise.withResolvers<void>();
  const look = () => {
    if (isUnderWay(directory)) found.resolve();
  };
  const watcher = watch(directory, look);
  signal?.addEventListener('abort', () => found.reject(signal.reason));
  try {
    look();
    await found.promise;
  } finally {
    watcher.close();
  }
}

/** Starts the real command, and kills it once it has some lines of an export that is held. */
async function killedInTheMiddle(
  words: readonly string[],
  directory: string,
  of = rig,
): Promise<void> {
  const hold = of.holdAfterFirstDay();
  const child = spawn(process.execPath, [MAIN, ...words], {
    cwd: directory,
    env: { ...process.env, ...of.env, HOME: directory },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const closed = once(child, 'close');
  const stopped = new AbortController();
  void closed.then(() => stopped.abort());
  try {
    await underWay(directory, stopped.signal);
  } catch (error) {
    assert.fail(`it ended by itself: ${said} ${error}`);
  }
  child.kill('SIGKILL');
  await closed;
  hold.release();
}

for (const format of ['ndjson', 'csv', 'parquet'] as const) {
  test(`after a kill the same command goes on and is not charged again: ${format}`, async () => {
    const directory = mkdtempSync(join(scratch, 'killed-'));
    const words = [...EXPORT, '--yes', '--format', format, '--out', join(directory, 'out')];
    const whole = join(directory, 'whole');
    await rig.run([...words.slice(0, -1), whole]);
    const before = await rig.unitsUsed();
    await killedInTheMiddle(words, directory);
    assert.ok(!existsSync(join(directory, 'out')));
    assert.equal((await rig.unitsUsed()) - before, COST);
    // No prompt is possible, and none is needed.
    const { code, err, units } = await rig.run(words.filter((word) => word !== '--yes'));
    assert.deepEqual([code, units], [0, 0], err);
    assert.match(err, /\.part has .* of it: resuming there, at no cost\.\n/);
    assert.match(err, /out: 900 objects, [\d.]+ KiB for 0 compute units/);
    const text = format === 'ndjson' ? linesOf : (path: string) => readFileSync(path, 'latin1');
    assert.equal(text(join(directory, 'out')), text(whole));
    assert.deepEqual(
      readdirSync(directory).filter((name) => name.startsWith('out')),
      ['out'],
    );
  });
}

test('ctrl-c says what is there and how to go on', async () => {
  const directory = mkdtempSync(join(scratch, 'interrupted-'));
  const words = [...EXPORT, '--yes', '--out', join(directory, 'out')];
  const hold = rig.holdAfterFirstDay();
  const io = new RecordedIo();
  const ran = rig.run(words, { signal: io.signal });
  await underWay(directory);
  io.interrupt.abort();
  const { code, err } = await ran;
  hold.release();
  assert.equal(code, 130);
  assert.match(
    err,
    /Stopped with [\d,]+ lines? \([^)]+\)\. Run the same command within 24 hours to resume, at no cost\.\n$/,
  );
  const again = await rig.run(words);
  assert.deepEqual([again.code, again.units], [0, 0], again.err);
});

test('a part that is too old says so, and --force begins anew', async () => {
  await using own = await HistoryRig.start();
  const directory = mkdtempSync(join(scratch, 'old-'));
  const words = [...EXPORT, '--yes', '--out', join(directory, 'out')];
  await killedInTheMiddle(words, directory, own);
  own.service.clock.advance(90_000_000);
  const { code, err } = await own.run(words);
  assert.equal(code, 8, err);
  assert.match(
    err,
    /out\.part can no longer be resumed; --force starts again, which is charged\.\n/,
  );
  const forced = await own.run([...words, '--force']);
  assert.deepEqual([forced.code, forced.units], [0, COST], forced.err);
  assert.deepEqual(readdirSync(directory), ['out']);
});

test('a part of another query is left alone, unless --force begins anew', async () => {
  const directory = mkdtempSync(join(scratch, 'other-'));
  const out = join(directory, 'out');
  await killedInTheMiddle([...EXPORT, '--yes', '--out', out], directory);
  const range = ['--from', '2026-11-10', '--to', '2026-11-11'];
  const other = ['export', 'ESZ6', 'bars', ...range, '--yes', '--out', out];
  const refused = await rig.run(other);
  assert.deepEqual([refused.code, refused.units], [2, 0], refused.err);
  assert.match(refused.err, /out\.part is of another export/);
  const { code, err, units } = await rig.run([...other, '--force']);
  assert.deepEqual([code, units], [0, TRADES_A_DAY], err);
  assert.match(linesOf(out), /^\{"t":"header".*"from":"1794268800000000000"/);
});

test('lines that an earlier run could not write as CSV are not paid for again', async () => {
  const lines = join(scratch, 'full.csv.ndjson.zst');
  const words = [...EXPORT, '--yes', '--format', 'csv', '--out', join(scratch, 'full.csv')];
  // Left by an earlier run that could not write its CSV.
  await rig.run([...EXPORT, '--yes', '--out', lines]);
  const { code, err, units } = await rig.run(words);
  assert.deepEqual([code, units], [0, 0], err);
  assert.match(
    err,
    /full\.csv\.ndjson\.zst is already complete: only .*full\.csv is written, at no cost\./,
  );
  assert.ok(!existsSync(lines));
});

test('what is not understood, and what the service refuses, leaves nothing behind', async () => {
  const directory = mkdtempSync(join(scratch, 'refused-'));
  const out = ['--out', join(directory, 'out'), '--yes'];
  const noExport = await rig.service.key(rig.accountId, { scopes: ['history'] });
  const refused: readonly (readonly [readonly string[], number, RegExp])[] = [
    [['XX', 'bars', ...TWO_DAYS, ...out], 4, /UNKNOWN_INSTRUMENT/],
    [['ESZ6', 'candles', ...TWO_DAYS, ...out], 4, /UNKNOWN_INDICATOR/],
    [
      ['ESZ6', 'bars', '--from', '2026-11-11', '--to', '2026-11-09', ...out],
      2,
      /--to must be after --from/,
    ],
    [['ESZ6', 'bars', '--from', '2h', ...out], 2, /--from must be a fixed time/],
    [
      [...BARS, '--format', 'xml', ...out],
      2,
      /--format must be one of ndjson, csv, table, parquet, arrow; got xml/,
    ],
    [[...BARS, '--format', 'csv', '--expand', ...out], 2, /--expand applies to ndjson only/],
    [
      [...BARS, '--yes', '--out', join(directory, 'none', 'out')],
      1,
      /cannot write .*none.out: no such file or directory/,
    ],
    [[...BARS, ...out, '--key', noExport.secret], 3, /FORBIDDEN/],
    [[...BARS, ...out, '--url', 'http://127.0.0.1:1'], 6, /NETWORK/],
  ];
  for (const [words, code, message] of refused) {
    const ran = await rig.run(['export', ...words]);
    assert.deepEqual([ran.code, ran.out, ran.units], [code, '', 0], `${words} ${ran.err}`);
    assert.match(ran.err, message);
    assert.doesNotMatch(ran.err, /Stopped/);
    assert.deepEqual(readdirSync(directory), [], `${words}`);
  }
});

test('a key for exports alone needs --yes, since it may not estimate', async () => {
  const { secret } = await rig.service.key(rig.accountId, { scopes: ['export'] });
  const words = [...EXPORT, '--key', secret, '--out', join(scratch, 'alone.zst')];
  const refused = await rig.run(words, { isTerminal: true, answers: ['y'] });
  assert.deepEqual([refused.code, refused.units], [3, 0]);
  const { code, err, units } = await rig.run([...words, '--yes']);
  assert.deepEqual([code, units], [0, COST], err);
  assert.match(err, /: 900 objects, [\d.]+ KiB, [\d.]+ s\.\n/);
});
