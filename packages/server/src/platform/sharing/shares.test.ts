import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Shares } from './shares.ts';

const HOLDERS = ['a', 'b', 'c', 'd'] as const;

const steps = fc.array(
  fc.record({
    holder: fc.constantFrom(...HOLDERS),
    amount: fc.integer({ min: 1, max: 5 }),
    isGivenBack: fc.boolean(),
  }),
  { maxLength: 80 },
);

test('each holder has its share, all have a limit, and its last part is for newcomers', () => {
  const limits = { eachMax: 6, allMax: 17, keptForNew: 4 };
  fc.assert(
    fc.property(steps, (all) => {
      const shares = new Shares();
      const held = new Map<string, number>();
      const of = (holder: string) => held.get(holder) ?? 0;
      const total = () => HOLDERS.reduce((sum, holder) => sum + of(holder), 0);
      for (const { holder, amount, isGivenBack } of all) {
        const open = limits.allMax - (of(holder) > 0 ? limits.keptForNew : 0);
        const hasRoom = of(holder) < limits.eachMax && total() < open;
        assert.equal(shares.hasRoom(holder, limits), hasRoom);
        const by = isGivenBack ? -Math.min(amount, of(holder)) : amount;
        if (!isGivenBack && !hasRoom) continue;
        shares.add(holder, by);
        held.set(holder, of(holder) + by);
        for (const one of HOLDERS) assert.equal(shares.of(one), of(one));
        assert.equal(shares.total, total());
        const largest = shares.largest();
        assert.equal(largest === null, total() === 0);
        if (largest !== null) assert.equal(of(largest), Math.max(...HOLDERS.map(of)));
      }
    }),
  );
});

test('one unit at a time, no limit is ever passed, and a newcomer finds room while others leave its part', () => {
  const limits = { eachMax: 3, allMax: 8, keptForNew: 3 };
  fc.assert(
    fc.property(fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 40 }), (holders) => {
      const shares = new Shares();
      for (const holder of holders) if (shares.hasRoom(holder, limits)) shares.add(holder, 1);
      assert.ok(shares.total <= limits.allMax);
      for (const holder of ['a', 'b', 'c']) assert.ok(shares.of(holder) <= limits.eachMax);
      assert.ok(shares.hasRoom('d', limits), 'three holders leave the part of newcomers');
    }),
  );
});
