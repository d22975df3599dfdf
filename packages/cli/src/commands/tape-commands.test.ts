import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Rank } from '@tapeloom/core/numbers';
import { allocateBatch } from '@tapeloom/core/trade-batch';
import { utcDay } from '@tapeloom/core/utc-day';
import { NodeDisk } from '@tapeloom/server/platform/node-disk';
import { TapeManifest } from '@tapeloom/server/tape/tape-manifest';
import { sealDay } from '@tapeloom/server/tape/write/seal';
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
  assert.match(stdout, /^2 files, 2,000 trades, [\d,]+ bytes: nothing is wrong\n$/);
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
    await assert.rejects(run(command, ['more']), UsageError);
    await assert.rejects(run(command, ['--more']), { code: 'ERR_PARSE_ARGS_UNKNOWN_OPTION' });
  }
});
