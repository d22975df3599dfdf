import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { EpochNs } from '@tapeloom/core/numbers';
import { addDays, dayOf } from '@tapeloom/core/utc-day';
import { createSimUniverse } from '@tapeloom/server/markets/sim/sim-universe';
import { lockDirectory } from '@tapeloom/server/platform/disk/directory-lock';
import { NodeDisk } from '@tapeloom/server/platform/disk/node-disk';
import { nameCluster } from '@tapeloom/server/tape/shared/shared-directory';
import { RecordedIo, type RecordedIoOptions } from '../../testing/recorded-io.ts';
import { UsageError } from '../command.ts';
import { simFillCommand } from './sim-fill.ts';

const scratch = mkdtempSync(join(tmpdir(), 'sim-fill-'));
after(() => rmSync(scratch, { recursive: true }));

const today = dayOf((BigInt(Date.now()) * 1_000_000n) as EpochNs);
const { contracts, market } = createSimUniverse({ seed: 1, printsScale: 1 }, today);
const expired = contracts[2]!.symbol;
const lastDay = market.life(expired).lastDay;
const date = (day: number) => `${day}`.replace(/(....)(..)(..)/, '$1-$2-$3');

async function fill(words: readonly string[], io: RecordedIoOptions = {}) {
  const recorded = new RecordedIo({
    env: { TAPELOOM_DATA: scratch, TAPELOOM_SIM_SCALE: '0.001' },
    ...io,
  });
  const code = await simFillCommand.run(words, recorded);
  return { code, out: recorded.out, err: recorded.err };
}

function days(symbol: string, from: number, to: number): string[] {
  return ['--contract', symbol, '--from', date(from), '--to', date(to)];
}

test('makes the days, says each, and leaves them alone the next time', async () => {
  const words = days(expired, addDays(lastDay, -2), lastDay);
  const first = await fill(words);
  assert.equal(first.code, 0);
  assert.match(
    first.out,
    new RegExp(`^${expired} ${date(lastDay)}  [\\d,]+ trades?  \\(\\d of 3\\)$`, 'm'),
  );
  assert.match(first.out, /^3 days made with [\d,]+ trades?\.$/m);
  const second = await fill(words);
  assert.equal(second.code, 0);
  assert.equal(
    second.out,
    '3 days already on the tape, left unchanged.\n0 days made with 0 trades.\n',
  );
});

test('makes nothing in the directory of a node, whose days others have too', async () => {
  const data = join(scratch, 'node');
  await nameCluster(new NodeDisk(), `${data}/tape`, 'SIM', 'cluster_1');
  const words = [...days(expired, lastDay, lastDay), '--data', data];
  const { code, err } = await fill(words);
  assert.equal(code, 1);
  assert.match(
    err,
    /SIM is of the cluster cluster_1, .*: the node that appends generates past days/,
  );
});

test('on a terminal one line shows the progress', async () => {
  const words = days('all', addDays(today, -1), addDays(today, -1));
  const { code, out } = await fill([...words, '--data', join(scratch, 'other')], {
    isTerminal: true,
  });
  assert.equal(code, 0);
  assert.ok(out.includes('\r\x1b[2K100%  14 of 14 days'));
  assert.equal(out.split('\n').length, 2);
});

test('days to come, outside the contract’s life or not understood are refused', async () => {
  const refused: readonly (readonly [readonly string[], RegExp])[] = [
    [days('all', today, today), /has not ended yet; the last possible day is \d{4}-\d\d-\d\d$/],
    [days(expired, lastDay, addDays(lastDay, 1)), /trades from .* to .* only/],
    [days('XXX9', lastDay, lastDay), /no simulated contract is named XXX9; the contracts are ES/],
    [days(expired, lastDay, addDays(lastDay, -1)), /is after/],
    [['--contract', 'all', '--from', '2026-02-30', '--to', '2026-03-01'], /must be a date like/],
    [['--contract', 'all', '--from', '2026-02-20'], /--to is missing/],
    [['--from', '2026-02-20', '--to', '2026-02-20'], /--contract is missing/],
    [['ESU6'], /unexpected argument: ESU6/],
  ];
  for (const [words, message] of refused) {
    await assert.rejects(fill(words), (error) => {
      assert.ok(error instanceof UsageError, String(error));
      assert.match(error.message, message);
      return true;
    });
  }
});

test('a directory in use is left alone', async () => {
  const data = join(scratch, 'used');
  using _ = lockDirectory(data);
  const { code, out, err } = await fill([...days(expired, lastDay, lastDay), '--data', data]);
  assert.equal(code, 1);
  assert.equal(out, '');
  assert.match(err, /is in use by process \d+\. Stop the service/);
});

test('a fill that is interrupted says so and can be repeated', async () => {
  const data = join(scratch, 'interrupted');
  const stop = new AbortController();
  const words = [...days(expired, addDays(lastDay, -9), lastDay), '--data', data];
  const stdout = () => stop.abort();
  assert.equal((await fill(words, { stdout, signal: stop.signal })).code, 1);
  const { code, out } = await fill(words);
  assert.equal(code, 0);
  assert.match(out, /already on the tape/);
});
