import assert from 'node:assert/strict';
import { test } from 'node:test';
import { epochNs, utcDay } from '@tapeloom/core/utc-day';
import type { LoggedNote } from '../write/notes/logged-note.ts';
import { LogCheck } from './log-check.ts';

const DAY = utcDay(20_260_105);

function gap(symbol: string, from: number, to: number | null): LoggedNote {
  const start = epochNs(DAY, from);
  const end = to === null ? null : epochNs(DAY, to);
  const lost = { firstId: null, lastId: null, reason: 'no connection' };
  return { kind: 'gap', gap: { symbol, from: start, to: end, ...lost }, asked: start };
}

test('a gap that changes what was before the watermark is found, and one of no contract', () => {
  const check = new LogCheck();
  const contract = { symbol: 'ESZ6', highestId: -1, windowBits: new Uint8Array(0) };
  const opening = { dataset: 'X', day: DAY, promiseNs: 0, contracts: [contract], held: [] };
  check.opening({ ...opening, notes: [gap('ESZ6', -5, null)] });
  const commit = (promiseNs: number, ...notes: LoggedNote[]) =>
    assert.ok(check.commit({ promiseNs, contracts: [], sections: [], held: [], notes }));
  commit(100, gap('ESZ6', 0, 50));
  commit(200, gap('ESZ6', 100, null), gap('ESZ6', -5, 150));
  assert.deepEqual(check.findings, []);
  assert.deepEqual(check.gapsOf('ESZ6', DAY), [[0, 200]]);
  commit(300, gap('ESZ6', 150, 400));
  commit(400, gap('ESZ6', 0, 500));
  commit(500, gap('ESZ6', 100, 350));
  commit(600, gap('NQZ6', 600, null), gap('ESZ6', 650, 640));
  assert.deepEqual(
    check.findings.map((what) => what.replace(/from \d+/, 'from …')),
    [
      'ESZ6: the gap from … changes what was before the watermark',
      'ESZ6: the gap from … changes what was before the watermark',
      'ESZ6: the gap from … changes what was before the watermark',
      'NQZ6: the gap from … is of a contract that the log does not name',
      'ESZ6: the gap from … ends before it begins',
    ],
  );
});
