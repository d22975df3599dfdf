import assert from 'node:assert/strict';
import { test } from 'node:test';
import { utcDay } from '@tapeloom/core/utc-day';
import fc from 'fast-check';
import { DayRows } from './day-rows.ts';

/** Nearly sorted, as in files, or in any order. */
const times = fc.oneof(
  fc.array(fc.nat(3), { maxLength: 60 }).map((jitter) => jitter.map((by, row) => row + by * 2)),
  fc.array(fc.nat(50), { maxLength: 200 }),
);

test('rows are put in the order of time, those of one time in the order of the file', () => {
  fc.assert(
    fc.property(times, fc.nat(60), (ns, cut) => {
      const rows = new DayRows(utcDay(20260310));
      for (const [row, one] of ns.slice(0, cut).entries()) rows.add(one, row, row + 1, 1);
      const rest = new DayRows(utcDay(20260310));
      for (const [row, one] of ns.slice(cut).entries()) rest.add(one, cut + row, cut + row + 1, 1);
      rows.append(rest);
      const isMoved = rows.sort();
      const expected = ns.map((one, row) => [one, row, row + 1]).sort((a, b) => a[0]! - b[0]!);
      assert.deepEqual(
        Array.from({ length: rows.count }, (_, at) => [rows.ts[at], rows.price[at], rows.size[at]]),
        expected,
      );
      assert.equal(
        isMoved,
        expected.some(([, row], at) => row !== at),
      );
    }),
  );
});
