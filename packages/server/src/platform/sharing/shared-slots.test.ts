import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { SharedSlots } from './shared-slots.ts';

test('so many for each, so many in all, some for newcomers only, and each place is given back once', () => {
  const limits = { eachMax: 3, allMax: 7, keptForNew: 2 };
  const step = fc.record({
    holder: fc.constantFrom('a', 'b', 'c', 'd'),
    leave: fc.option(fc.nat()),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
      const places = new SharedSlots(limits);
      const held: { holder: string; hold: Disposable }[] = [];
      for (const { holder, leave } of steps) {
        if (leave !== null && held.length > 0) {
          const [left] = held.splice(leave % held.length, 1);
          left!.hold[Symbol.dispose]();
          left!.hold[Symbol.dispose]();
        } else {
          const here = held.filter((it) => it.holder === holder).length;
          const hold = places.enter(holder);
          const open = limits.allMax - (here > 0 ? limits.keptForNew : 0);
          assert.equal(hold !== null, here < limits.eachMax && held.length < open);
          if (hold !== null) held.push({ holder, hold });
        }
        assert.equal(places.count, held.length);
      }
    }),
  );
});
