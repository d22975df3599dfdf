import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { EpochNs } from '@tapeloom/core/numbers';
import { epochNs, utcDay } from '@tapeloom/core/utc-day';
import { lockDirectory } from '@tapeloom/server/platform/disk/directory-lock';
import { NodeDisk } from '@tapeloom/server/platform/disk/node-disk';
import { openTape } from '@tapeloom/server/tape/write/open-tape';
import { intakeBatch } from '../../../server/testing/tape/feed-rows.ts';
import { runRecorded } from '../../testing/recorded-io.ts';
import { commands } from '../commands.ts';

const data = mkdtempSync(join(tmpdir(), 'tapeloom-cli-trim-'));
after(() => rmSync(data, { recursive: true }));
const DAY = utcDay(20_260_105);
const FAR = 4_000_000_000_000_000_000n as EpochNs;
const trim = (...words: readonly string[]) =>
  runRecorded(commands, ['tape', 'trim', '--data', data, ...words], {});

test('what lies after a time is set aside once somebody agrees, while no service runs', async () => {
  {
    await using tape = await openTape({
      disk: new NodeDisk(),
      tapeRoot: join(data, 'tape'),
      dataset: 'SIM',
      listed: () => ['ESZ6'],
      now: () => FAR,
      onFailure: assert.ifError,
    });
    const noon = 43_200e9;
    await tape.intake.offer([intakeBatch('ESZ6', DAY, [[1, noon]])], epochNs(DAY, noon + 1));
  }
  const at = ['--after', '2026-01-05T06:32:00Z'];
  assert.equal((await trim()).code, 2);
  const unasked = await trim(...at);
  assert.equal(unasked.code, 2);
  assert.match(unasked.err, /the log of 2026-01-05 after 2026-01-05 06:32:00Z.*--yes/s);
  {
    using _lock = lockDirectory(data);
    assert.match((await trim(...at, '--yes')).err, /is in use by process/);
  }
  assert.equal(existsSync(join(data, 'tape/SIM/aside')), false);
  const done = await trim(...at, '--yes');
  assert.equal(done.code, 0, done.err);
  assert.match(done.out, /^SIM: moved to .*tape\/SIM\/aside\/after-\d+\.\n$/);
  const [aside] = readdirSync(join(data, 'tape/SIM/aside'));
  assert.deepEqual(readdirSync(join(data, 'tape/SIM/aside', aside!, 'log')), [`${DAY}.log`]);
  assert.match((await trim(...at, '--yes')).out, /^Nothing on the tape is after/);
});
