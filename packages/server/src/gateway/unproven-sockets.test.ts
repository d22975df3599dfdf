import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { UnprovenSockets } from './unproven-sockets.ts';

test('so many from one place, so many in all, and each place is given back once', () => {
  const limits = { fromOnePlaceMax: 3, inAllMax: 7 };
  const step = fc.record({
    place: fc.constantFrom('a', 'b', 'c', 'd'),
    leave: fc.option(fc.nat()),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
      const sockets = new UnprovenSockets(limits);
      const held: { place: string; hold: Disposable }[] = [];
      for (const { place, leave } of steps) {
        if (leave !== null && held.length > 0) {
          const [left] = held.splice(leave % held.length, 1);
          left!.hold[Symbol.dispose]();
          left!.hold[Symbol.dispose]();
        } else {
          const here = held.filter((it) => it.place === place).length;
          const hold = sockets.enter(place);
          assert.equal(
            hold !== null,
            here < limits.fromOnePlaceMax && held.length < limits.inAllMax,
          );
          if (hold !== null) held.push({ place, hold });
        }
        assert.equal(sockets.count, held.length);
      }
    }),
  );
});
