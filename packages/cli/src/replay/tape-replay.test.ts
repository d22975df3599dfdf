import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { EpochNs } from '@tapeloom/core/numbers';
import { utcDay } from '@tapeloom/core/utc-day';
import { NodeDisk } from '@tapeloom/server/platform/disk/node-disk';
import { RecordedIo, runRecorded } from '../../testing/recorded-io.ts';
import { commands } from '../commands.ts';
import { tapeReplay } from './tape-replay.ts';

const scratch = mkdtempSync(join(tmpdir(), 'tape-replay-'));
const data = join(scratch, 'data');
after(() => rmSync(scratch, { recursive: true }));

async function tapeloom(...words: readonly string[]): Promise<void> {
  const { code, err, out } = await runRecorded(commands, [...words, '--data', data]);
  assert.equal(code, 0, `${out}${err}`);
}

function file(name: string, content: string): string {
  writeFileSync(join(scratch, name), content);
  return join(scratch, name);
}

test('a day of an imported dataset is played from its first trade to the close, its past whole days only', async () => {
  const instruments = `datasets:
  GLBX:
    products:
      ES: { extends: ES, contracts: { from: 2026-03, to: 2026-06 } }
`;
  await tapeloom('instruments', 'apply', file('instruments.yaml', instruments));
  const hours = [5, 6, 9, 10].map((day) => Date.UTC(2026, 2, day, 15));
  const rows = hours.map((ms) => `${ms}000000,ESH6,5000,1,buy\n${ms + 1}000000,ESH6,5001,2,sell`);
  const csv = file('es.csv', `timestamp,symbol,price,size,side\n${rows.join('\n')}\n`);
  await tapeloom('import', csv);
  const io = new RecordedIo();
  const source = { kind: 'tape', name: 'ESH6', day: utcDay(20260310), data } as const;
  const { plan, days } = await tapeReplay(source, null, new NodeDisk(), io);
  assert.equal(plan.contract.dataset, 'GLBX');
  assert.equal(plan.from, BigInt(hours[3]!) * 1_000_000n);
  assert.equal(plan.end, BigInt(Date.UTC(2026, 2, 10, 21)) * 1_000_000n);
  const read = await Array.fromAsync(days);
  // The first day is partial, and there was no trading at the weekend.
  assert.deepEqual(
    read.map(({ day, count }) => [day, count]),
    [
      [20260306, 2],
      [20260309, 2],
      [20260310, 2],
    ],
  );
  assert.match(
    io.err,
    /Hours of 2026-03-10 are missing on the tape: they are played without trades/,
  );

  const wednesday = (plan.from - 6n * 86_400_000_000_000n) as EpochNs;
  await assert.rejects(
    tapeReplay(source, wednesday, new NodeDisk(), io),
    /ESH6 has no sealed tape of 2026-03-04 and 2026-03-08 .*; it has 2026-03-05 to 2026-03-06 and 2026-03-09 to 2026-03-10\./,
  );
});
