/** What `tapeloom serve --file` and `--replay` reject before serving; `tests/replay.test.ts` covers serving. */

import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { rank } from '@tapeloom/core/numbers';
import { allocateBatch } from '@tapeloom/core/trade-batch';
import { utcDay } from '@tapeloom/core/utc-day';
import { NodeDisk } from '@tapeloom/server/platform/disk/node-disk';
import { sealDay } from '@tapeloom/server/tape/write/seal/seal';
import { RecordedIo } from '../../testing/recorded-io.ts';
import { UsageError } from '../command.ts';
import { serveCommand } from './serve.ts';

const scratch = mkdtempSync(join(tmpdir(), 'serve-replay-'));
after(() => rmSync(scratch, { recursive: true }));

/** Other test files share the process, and use other directories. */
async function serve(...words: readonly string[]) {
  const outerTemporary = process.env.TMPDIR;
  process.env.TMPDIR = scratch;
  try {
    const io = new RecordedIo();
    return { code: await serveCommand.run(words, io), err: io.err };
  } finally {
    if (outerTemporary === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = outerTemporary;
  }
}

async function refused(words: readonly string[], message: RegExp, isUsage: boolean): Promise<void> {
  await assert.rejects(serve(...words), (error: Error) => {
    assert.match(error.message, message);
    assert.equal(error instanceof UsageError, isUsage, error.message);
    return true;
  });
}

const replays = () => readdirSync(scratch).filter((name) => name.startsWith('tapeloom-replay-'));

function file(name: string, content: string): string {
  writeFileSync(join(scratch, name), content);
  return join(scratch, name);
}

test('words that do not go together, and a speed that is none, are refused before anything is read', async () => {
  const path = file('one.csv', 'timestamp,price,size\n1773153000000000000,1,2\n');
  for (const [words, message] of [
    [['--file', path, '--replay', 'ESH6'], /^use either --file or --replay/],
    [['--file', path, '--speed', '0'], /--speed must be a number from 1 to 10000; got "0"/],
    [['--file', path, '--day', '2026-03-10'], /--day requires --replay/],
    [['--file', path, 'more'], /unexpected argument: more/],
    [['--file', path, '--tick', '0'], /--tick must be/],
    [['--replay', 'ESH6'], /--day is missing/],
    [['--replay', 'ESH6', '--day', 'monday'], /--day must be a date/],
    [['--replay', 'ESH6', '--day', '2026-03-10', '--symbol', 'X'], /--symbol requires --file/],
    [['--replay', 'ESX6', '--day', '2026-03-10'], /no contract or alias is called ESX6/],
    [['--file', path, '--from', '2026-03-11'], /--from must lie between 2026-03-10T14:30:00.000Z/],
  ] as const) {
    await refused(words, message, true);
  }
  assert.deepEqual(replays(), []);
});

test('a file that cannot be read is refused in the words of study, and leaves no directory behind', async () => {
  await refused(
    ['--file', join(scratch, 'none.csv')],
    /^none\.csv: The file does not exist\.$/,
    false,
  );
  await refused(['--file', file('empty.csv', '')], /The file is empty: it has 0 bytes/, false);
  const header = 'timestamp,symbol,price,size,side';
  const at = '1773153000000000000';
  const two = file('two.csv', `${header}\n${at},ESH6,5000,1,buy\n${at},NQH6,5000,1,buy\n`);
  await refused(['--file', two], /Choose an instrument with --symbol/, false);
  const wall = file('wall.csv', 'datetime,price,size\n2026-03-10 09:30:00,1,2\n');
  const { code, err } = await serve('--file', wall);
  assert.equal(code, 1);
  assert.match(err, /do not say their zone.*\(--zone <zone>\)/);
  assert.deepEqual(replays(), []);
});

test('a day that is not on the tape is refused with the days that are, a closed one as closed', async () => {
  const data = join(scratch, 'data');
  const words = (day: string, ...more: readonly string[]) => {
    return ['--replay', 'ESH6', '--day', day, '--data', data, ...more];
  };
  await refused(words('2026-03-10'), /ESH6 has no sealed tape of 2026-03-10 .* none at all/, false);
  for (const day of [20260306, 20260307, 20260309]) {
    const batch = allocateBatch(utcDay(day), rank(1), 0);
    await sealDay(new NodeDisk(), `${data}/tape`, { dataset: 'SIM', symbol: 'ESH6', batch });
  }
  const there = /it has 2026-03-06 to 2026-03-07 and 2026-03-09\.$/;
  await refused(words('2026-03-10'), there, false);
  await refused(words('2026-03-07'), /the market was closed on 2026-03-07/, true);
  const late = ['--from', '2026-03-09T23:00:00Z'];
  await refused(words('2026-03-09', ...late), /--from lies after the end of that day/, true);
  const early = ['--from', '2026-03-08T12:00:00Z'];
  await refused(words('2026-03-09', ...early), /no sealed tape of 2026-03-08 /, false);
  assert.deepEqual(replays(), []);
});
