import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type EvictingSlot, EvictingSlots } from './evicting-slots.ts';

interface Held {
  readonly holder: string;
  readonly isBusy: boolean;
  slot: EvictingSlot | null;
}

test('a newcomer always gets a slot: at its own limit its longest unused is evicted, at that of all the one of the largest holder [SEC-37]', () => {
  const limits = { eachMax: 3, allMax: 7 };
  const step = fc.record({
    holder: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
    act: fc.constantFrom('enter', 'enter', 'enter', 'leave', 'touch', 'evict'),
    isBusy: fc.boolean(),
    which: fc.nat(),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const slots = new EvictingSlots(limits);
      /** Least recently used first. */
      let held: Held[] = [];
      let evicted = 0;
      let evict: (it: Held) => void;
      const of = (holder: string) => held.filter((it) => it.holder === holder);
      const isFree = ({ isBusy }: Held) => !isBusy;
      const hasMost = ({ holder }: Held) =>
        held.filter(isFree).every((other) => of(other.holder).length <= of(holder).length);
      for (const { holder, act, which, isBusy } of steps) {
        const isOwn = act === 'enter' && of(holder).length >= limits.eachMax;
        const isDue = isOwn || (act === 'enter' ? held.length >= limits.allMax : act === 'evict');
        evict = (it: Held) => {
          assert.ok(isOwn ? it.holder === holder : hasMost(it), `${it.holder} was evicted`);
          assert.equal(of(it.holder).find(isFree), it);
          held = held.filter((other) => other !== it);
          evicted += 1;
        };
        const before = evicted;
        const any = (isOwn ? of(holder) : held).some(isFree);
        const chosen = held[which % held.length];
        if (act === 'enter') {
          const mine: Held = { holder, isBusy, slot: null };
          mine.slot = slots.enter(holder, { isBusy, evict: () => evict(mine) });
          held.push(mine);
        } else if (act === 'evict') {
          assert.equal(slots.evictOne(), any);
        } else if (chosen !== undefined) {
          if (act === 'leave') chosen.slot![Symbol.dispose]();
          else chosen.slot!.touch();
          held = held.filter((other) => other !== chosen);
          if (act === 'touch') held.push(chosen);
        }
        assert.equal(evicted - before, isDue && any ? 1 : 0);
        assert.equal(slots.count, held.length);
        assert.equal(slots.evictedTotal, evicted);
      }
    }),
  );
});
