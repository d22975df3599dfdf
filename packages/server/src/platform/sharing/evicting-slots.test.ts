import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type YieldingPlace, YieldingPlaces } from './yielding-places.ts';

interface Held {
  readonly holder: string;
  place: YieldingPlace | null;
}

test('a newcomer always gets a place: at its own limit its longest unused gives way, at that of all the one of who has most [SEC-37]', () => {
  const limits = { eachMax: 3, allMax: 7 };
  const step = fc.record({
    holder: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
    act: fc.constantFrom('enter', 'enter', 'enter', 'leave', 'touch', 'yield'),
    which: fc.nat(),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const places = new YieldingPlaces(limits);
      /** The one touched longest ago first. */
      let held: Held[] = [];
      let yielded = 0;
      let giveWay: (it: Held) => void;
      const of = (holder: string) => held.filter((it) => it.holder === holder);
      const hasMost = ({ holder }: Held) =>
        held.every((other) => of(other.holder).length <= of(holder).length);
      for (const { holder, act, which } of steps) {
        const isOwn = act === 'enter' && of(holder).length === limits.eachMax;
        const isDue = isOwn || (act === 'enter' ? held.length === limits.allMax : act === 'yield');
        giveWay = (it: Held) => {
          assert.ok(isOwn ? it.holder === holder : hasMost(it), `${it.holder} had to give way`);
          assert.equal(of(it.holder)[0], it);
          held = held.filter((other) => other !== it);
          yielded += 1;
        };
        const before = yielded;
        const any = held.length > 0;
        const chosen = held[which % held.length];
        if (act === 'enter') {
          const mine: Held = { holder, place: null };
          mine.place = places.enter(holder, { isBusy: false, giveWay: () => giveWay(mine) });
          held.push(mine);
        } else if (act === 'yield') {
          assert.equal(places.yieldOne(), any);
        } else if (chosen !== undefined) {
          if (act === 'leave') chosen.place![Symbol.dispose]();
          else chosen.place!.touch();
          held = held.filter((other) => other !== chosen);
          if (act === 'touch') held.push(chosen);
        }
        assert.equal(yielded - before, isDue && any ? 1 : 0);
        assert.equal(places.count, held.length);
        assert.equal(places.yieldedTotal, yielded);
      }
    }),
  );
});
