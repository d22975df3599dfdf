import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { extendSessionBook } from '@tapeloom/core/calendar/session-book';
import type { Rank } from '@tapeloom/core/numbers';
import { allocateBatch } from '@tapeloom/core/trade-batch';
import { epochNs, utcDay } from '@tapeloom/core/utc-day';
import { readInstruments } from '@tapeloom/server/markets/instruments/read-instruments';
import { NodeDisk } from '@tapeloom/server/platform/disk/node-disk';
import { TapeManifest } from '@tapeloom/server/tape/tape-manifest';
import { sealDay } from '@tapeloom/server/tape/write/seal/seal';
import { SessionStore } from '@tapeloom/server/tape/write/session-store';
import { importDays, type TradeRow } from '../../../server/testing/imported-dataset.ts';
import { RecordedIo } from '../../testing/recorded-io.ts';
import { type CommandBody, UsageError } from '../command.ts';
import { tapeLsCommand } from './tape-ls.ts';
import { tapeVerifyCommand } from './tape-verify.ts';

const data = mkdtempSync(join(tmpdir(), 'tapeloom-cli-tape-'));
const arrow = join(data, 'tape/SIM/days/ESZ6/20260105.arrow');

async function run(command: CommandBody, args: readonly string[], env = {}) {
  const io = new RecordedIo({ env, isTerminal: true });
  const code = await command.run(args, io);
  return { code, stdout: io.out, stderr: io.err };
}

before(async () => {
  for (const yyyymmdd of [20_260_105, 20_260_107]) {
    const batch = allocateBatch(utcDay(yyyymmdd), 1 as Rank, 1_000);
    batch.count = 1_000;
    batch.size.fill(1);
    await sealDay(new NodeDisk(), join(data, 'tape'), { dataset: 'SIM', symbol: 'ESZ6', batch });
  }
  await (await TapeManifest.open(new NodeDisk(), join(data, 'tape'), 'SIM')).save();
});

after(() => rmSync(data, { recursive: true }));

test('verify says that nothing is wrong, shows progress and exits with 0', async () => {
  const { code, stdout, stderr } = await run(tapeVerifyCommand, ['--data', data]);
  assert.equal(code, 0);
  assert.match(stdout, /^2 files, 2,000 trades, [\d,]+ bytes: no errors\n$/);
  assert.match(stderr, /20260107\.arrow/);
});

test('verify names the damaged file and place and exits with 1', async () => {
  const whole = readFileSync(arrow);
  const damaged = Buffer.from(whole);
  damaged[400]! ^= 16;
  writeFileSync(arrow, damaged);
  const { code, stdout } = await run(tapeVerifyCommand, ['--data', data]);
  assert.equal(code, 1);
  assert.match(
    stdout,
    /WRONG {2}.*20260105\.arrow: a batch does not fit its checksum: .* at byte 8, record 0/,
  );
  const json = await run(tapeVerifyCommand, ['--json'], { TAPELOOM_DATA: data });
  const lines = json.stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.deepEqual(lines.at(-1), { ...lines.at(-1), type: 'summary', findings: 2 });
  assert.equal(lines.length, 3);
  writeFileSync(arrow, whole);
});

test('ls shows a table, or JSON, with the days that are missing', async () => {
  const { code, stdout } = await run(tapeLsCommand, ['--data', data]);
  assert.equal(code, 0);
  const [headings, row] = stdout.split('\n');
  assert.match(headings!, /^dataset {2}contract {2}.*bytes\/trade {2}state {3}gaps$/);
  assert.match(row!, /^SIM {6}ESZ6 .* 2,000 .* sealed {2}20260106$/);
  const json = JSON.parse((await run(tapeLsCommand, ['--json', '--data', data])).stdout);
  assert.equal(json[0].trades, 2_000);
  assert.deepEqual(json[0].gaps, [20_260_106]);
  const empty = await run(tapeLsCommand, ['--data', join(data, 'none')]);
  assert.match(empty.stdout, /There is no tape/);
});

test('verify names what the manifest misses and exits with 1', async () => {
  const day = join(data, 'tape/SIM/days/ESZ6/20260107');
  for (const suffix of ['.json', '.arrow']) renameSync(day + suffix, join(data, `aside${suffix}`));
  const { code, stdout } = await run(tapeVerifyCommand, ['--data', data]);
  for (const suffix of ['.json', '.arrow']) renameSync(join(data, `aside${suffix}`), day + suffix);
  assert.equal(code, 1);
  assert.match(stdout, /WRONG {2}.*ESZ6\/20260107\.json: is missing\n/);
});

test('verify calls a directory without a tape not sound', async () => {
  const { code, stderr } = await run(tapeVerifyCommand, ['--data', join(data, 'none')]);
  assert.equal(code, 1);
  assert.match(stderr, /There is no tape/);
});

test('both refuse arguments they do not know', async () => {
  for (const command of [tapeLsCommand, tapeVerifyCommand]) {
    await assert.rejects(run(command, ['one', 'more']), UsageError);
    await assert.rejects(run(command, ['--more']), /unknown option --more/);
  }
});

test('ls shows one contract as a calendar and day by day, with what is missing of it and why', async () => {
  const root = join(data, 'imported');
  const noon: TradeRow = [43_200_000_000_000, 400, 2, 1];
  const disk = new NodeDisk();
  const days = [
    { symbol: 'ESZ6', day: utcDay(20260130), rows: [noon] },
    {
      symbol: 'ESZ6',
      day: utcDay(20260202),
      rows: [noon],
      gaps: [[0, 3_723_000_000_000]] as const,
    },
    { symbol: 'ESZ6', day: utcDay(20260203), rows: [] },
    { symbol: 'ESZ6', day: utcDay(20260205), rows: [noon] },
  ];
  await importDays(disk, `${root}/tape`, 'GLBX', days);
  await importDays(disk, `${root}/tape`, 'GLBX', [{ ...days[0]!, rows: [noon, noon] }]);
  const products = { ES: { extends: 'ES', contracts: { from: '2026-12', to: '2026-12' } } };
  const instruments = JSON.stringify({ datasets: { GLBX: { products } } });
  writeFileSync(join(root, 'instruments.yaml'), instruments);
  const { calendars } = readInstruments(instruments).datasets[0]!;
  const [from, to, now] = [utcDay(20260101), utcDay(20260301), epochNs(utcDay(20260301), 0)];
  const book = extendSessionBook(null, calendars[0]!, from, to, now);
  await new SessionStore(disk, `${root}/tape`, 'GLBX').save(book);
  const { code, stdout } = await run(tapeLsCommand, ['ESZ6', '--data', root]);
  assert.equal(code, 0);
  assert.equal(
    stdout.replace(/[\d,]+(?= {2}(complete|partial|no trades) )/g, (it) => '*'.padStart(it.length)),
    `GLBX ESZ6: 2 complete, 1 partial, 1 without trades, 2 missing

         1   5    10   15   20   25   30
2026-01  .............................#.
2026-02  -%o-#.......................
# complete  % partial  o no trades  > still growing  ! damaged  - missing  . closed or outside

day         trades  bytes  quality    origin    why
2026-01-30       2      *  complete   replaced  from test.csv at 2026-11-01T00:00:00Z
2026-02-01       -      -  missing    -         not on the tape
2026-02-02       1      *  partial    imported  gaps: 00:00:00 to 01:02:03; from test.csv at 2026-11-01T00:00:00Z
2026-02-03       0      *  no trades  imported  from test.csv at 2026-11-01T00:00:00Z
2026-02-04       -      -  missing    -         not on the tape
2026-02-05       1      *  complete   imported  from test.csv at 2026-11-01T00:00:00Z
`,
  );
  const table = (await run(tapeLsCommand, ['--data', root])).stdout.split('\n');
  assert.match(table[1]!, /^GLBX {5}ESZ6 .* 4 {8}1 {10}1 {9}1 .* imported {2}20260201 20260204$/);
  const json = JSON.parse((await run(tapeLsCommand, ['ESZ6', '--json', '--data', root])).stdout);
  assert.deepEqual(json.listedDays[1].gaps, [[0, 3_723_000_000_000]]);
  await assert.rejects(run(tapeLsCommand, ['ESH7', '--data', root]), /no day of ESH7/);
  const verified = await run(tapeVerifyCommand, ['--data', root]);
  assert.equal(verified.code, 0);
  assert.match(
    verified.stdout,
    /note .*\.arrow: belongs to no day on the tape; the next import removes it/,
  );
});
