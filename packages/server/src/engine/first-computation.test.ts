/** A data directory from the time when a digest of the sources named the computation is used unchanged. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseCursor } from '@tapeloom/core/cursor';
import { type EpochNs, rank } from '@tapeloom/core/numbers';
import { computationOf } from '@tapeloom/core/studies/computation';
import { utcDay } from '@tapeloom/core/utc-day';
import { SimDisk } from '../../../../simulation/disk/sim-disk.ts';
import { ExportTokens } from '../exports/export-token.ts';
import { ResultCache } from '../results/result-cache.ts';
import { brokenBy } from '../topics/epoch-floors.ts';
import { EpochStore } from '../topics/epoch-store.ts';

/** The name of that version's computation, and the files written with it. */
const WRITTEN = '4c1c88bb8ce6559b77613003040dc1c3de601ffb0729388513de17349b4c49c9';
const EPOCHS = `{\n  "version": 1,\n  "fingerprint": "${WRITTEN}",\n  "floors": []\n}\n`;
const TOKEN =
  'eyJxdWVyeSI6IntcImluc3RydW1lbnRcIjpcIkVTLmMuMFwiLFwiY29udHJhY3RcIjpcIkVTWjZcIixcInRpY2tTaXplTmFub3NcIjoyNTAwMDAwMDAsXCJpbmRpY2F0b3JcIjpcImJhcnNcIixcInBhcmFtc1wiOntcImJhclwiOlwidGlja1wiLFwic2l6ZVwiOjV9LFwiZGVwdGhcIjo1MDAsXCJjb21wdXRlVW5pdHNQZXJUcmFkZVwiOjEsXCJtb2RlXCI6XCJsaXZlXCIsXCJoYXNTbmFwc2hvdFwiOmZhbHNlLFwiZm9ybWF0XCI6XCJuZGpzb25cIixcInVudGlsQ3Vyc29yXCI6bnVsbCxcImZyb21cIjpcIjE3OTM5OTk5OTk5OTk5OTk5OTFcIixcInRvXCI6XCIxNzk0MDAwMDAwMDAwMDAwMDAwXCJ9IiwiaXNzdWVkQXQiOiIxNzk0MDAwMDAwMDAwMDAwMDAwIiwiZmluZ2VycHJpbnQiOiI0YzFjODhiYjhjZTY1NTliNzc2MTMwMDMwNDBkYzFjM2RlNjAxZmZiMDcyOTM4ODUxM2RlMTczNDliNGM0OWM5Iiwid3JpdGVyIjpudWxsfQ.xedybjjOymenrd8ICxklpjMKafcWr7_1KB3F4t4ZrJ0';
const RESULT_FILE =
  '/data/cache/settled/SIM/ESZ6/20261112-bars-83848eb348fe2990a8407333bea73908.result';
const RESULT =
  'VExPT01TUjMAAAAAgIQuQfIWrz/fDQK3dQEAAHsiZGF0YXNldCI6IlNJTSIsImNvbnRyYWN0IjoiRVNaNiIsImRheSI6MjAyNjExMTIsImluZGljYXRvciI6ImJhcnMiLCJwYXJhbXMiOnsiYmFyIjoidGltZSIsInNpemUiOjYwfSwiZmluZ2VycHJpbnQiOiI0YzFjODhiYjhjZTY1NTliNzc2MTMwMDMwNDBkYzFjM2RlNjAxZmZiMDcyOTM4ODUxM2RlMTczNDliNGM0OWM5IiwiYWZ0ZXIiOm51bGwsImlucHV0cyI6eyJkYXlzIjpbWzIwMjYxMTEyLCJhYmMiXV0sInNlc3Npb25zIjoicyJ9LCJlbmQiOm51bGwsInRyYWRlcyI6MywiaXNXYXJtIjp0cnVlLCJsaW5lcyI6MSwibGluZXNCeXRlcyI6MTksImNvbHVtbnNCeXRlcyI6MjgsImZyYW1lQnl0ZXMiOjMyLCJ0YWlsTGluZXMiOjEsInRhaWxCeXRlcyI6Mn0otS/9IBidAABYAAATAAAAAQIAAAACALusB4AFKLUv/SQTmQAAeyJ0IjoiYSIsImxpbmUiOjB9CnK9H01hCg==';

/** Version 1 of the shared computation, whatever it is by now; the indicator's own as given. */
const versioned = (version: number) => computationOf({ version }, 1);

async function directoryWith(file: string, bytes: Uint8Array): Promise<SimDisk> {
  const machine = new SimDisk();
  const disk = machine.boot();
  await disk.makeDirectory(file.slice(0, file.lastIndexOf('/')));
  await using written = await disk.open(file, 'create');
  await written.write(bytes, 0);
  return machine;
}

test('cursors go on, but for those of an indicator that has a new version [DET-23]', async () => {
  const directory = '/data';
  const machine = await directoryWith(`${directory}/stream-epochs.json`, Buffer.from(EPOCHS));
  const open = (bars: number) =>
    EpochStore.open({
      disk: machine.boot(),
      directory,
      computations: { bars: versioned(bars), tpo: versioned(1) },
      tapeEnds: async () => new Map([['ESZ6', { day: utcDay(20261112), rank: rank(7) }]]),
    });
  const cursor = parseCursor('20261112.7.1')!;
  const same = await open(1);
  assert.deepEqual([same.start, same.epochs.floors], [{ t: 'same' }, []]);
  const { floors } = (await open(2)).epochs;
  const broken = (indicator: string) => brokenBy(floors, { contract: 'ESZ6', indicator }, cursor);
  assert.deepEqual([broken('bars'), broken('tpo')], ['engine_changed', null]);
});

test('a token goes on, unless its indicator has a new version [SEC-24]', () => {
  const now = 1_794_000_000_000_000_000n as EpochNs;
  const reading = (bars: number, tpo: number) => {
    const computationNamed = (id: string) => versioned(id === 'bars' ? bars : tpo);
    const tokens = new ExportTokens({ secret: new Uint8Array(32).fill(7), computationNamed });
    return tokens.read(now, 'account', TOKEN);
  };
  const good = reading(1, 2);
  assert.ok(good.t === 'good');
  assert.equal(good.queries[0]!.indicator, 'bars');
  assert.equal(good.engineFingerprint, WRITTEN, 'what is sent joins what was sent');
  assert.deepEqual(reading(2, 1), { t: 'outdated' });
});

test('results that were kept in an earlier form are not found, and are the first to go', async () => {
  const machine = await directoryWith(RESULT_FILE, Buffer.from(RESULT, 'base64'));
  const options = { disk: machine.boot(), root: '/data/cache', now: () => 1_000_000, writer: 'w' };
  const key = {
    dataset: 'SIM',
    contract: 'ESZ6',
    day: utcDay(20261112),
    indicator: 'bars',
    params: { bar: 'time', size: 60 },
    fingerprint: versioned(1),
  };
  const inputs = { days: [[utcDay(20261112), 'abc']], sessions: 's' } as const;
  const results = new ResultCache({ ...options, bytesMax: 2 ** 30 });
  assert.equal(await results.find(key, inputs), null);
  await new ResultCache({ ...options, bytesMax: 1 }).trim();
  assert.deepEqual(machine.files(), []);
});
