import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { FairQueue } from './fair-queue.ts';

interface Item {
  readonly holder: string;
  readonly number: number;
  readonly mayStart: boolean;
}

const HOLDERS = ['a', 'b', 'c', 'd'] as const;

const step = fc.record({
  act: fc.constantFrom('add', 'add', 'add', 'first', 'delete', 'take'),
  holder: fc.constantFrom(...HOLDERS),
  mayStart: fc.boolean(),
  which: fc.nat(),
});

test('by turns every holder that waits is served before one is served twice, each in its own order', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 100 }), (steps) => {
      const queue = new FairQueue<Item>();
      const waiting: Item[] = [];
      /** By holder, the others served while it waits: none of them twice. */
      const servedMeanwhile = new Map<string, Set<string>>();
      for (const [number, { act, holder, mayStart, which }] of steps.entries()) {
        const isFirst = act === 'first';
        if (act === 'add' || isFirst) {
          const item = { holder, number, mayStart };
          queue.add(holder, item, isFirst ? 'first' : 'last');
          const place = waiting.findIndex((one) => one.holder === holder);
          if (place < 0) servedMeanwhile.set(holder, new Set());
          if (isFirst && place >= 0) waiting.splice(place, 0, item);
          else waiting.push(item);
        } else if (act === 'delete' && waiting.length > 0) {
          const [gone] = waiting.splice(which % waiting.length, 1);
          assert.equal(queue.delete(gone!.holder, gone!), true);
          assert.equal(queue.delete(gone!.holder, gone!), false);
        } else if (act === 'take') {
          const taken = queue.takeInTurn();
          assert.equal(taken === null, waiting.length === 0);
          if (taken === null) continue;
          assert.equal(
            waiting.find((one) => one.holder === taken.holder),
            taken,
          );
          waiting.splice(waiting.indexOf(taken), 1);
          servedMeanwhile.set(taken.holder, new Set());
          for (const other of HOLDERS) {
            if (other === taken.holder || !queue.has(other)) continue;
            const served: Set<string> = servedMeanwhile.get(other)!;
            assert.ok(
              !served.has(taken.holder),
              `${taken.holder} was served twice before ${other}`,
            );
            served.add(taken.holder);
          }
        }
        assert.equal(queue.size, waiting.length);
        assert.deepEqual(new Set(queue), new Set(waiting));
        for (const one of HOLDERS) {
          assert.equal(
            queue.has(one),
            waiting.some((item) => item.holder === one),
          );
        }
      }
    }),
  );
});

test('by an order the holder that comes first is next, of those alike the one whose item waits longest', () => {
  fc.assert(
    fc.property(
      fc.array(step, { maxLength: 60 }),
      fc.record({ a: fc.nat(2), b: fc.nat(2), c: fc.nat(2), d: fc.nat(2) }),
      (steps, used: Readonly<Record<string, number>>) => {
        const queue = new FairQueue<Item>();
        const waiting: Item[] = [];
        for (const [number, { act, holder, mayStart }] of steps.entries()) {
          if (act !== 'take') {
            const item = { holder, number, mayStart };
            queue.add(holder, item);
            waiting.push(item);
            continue;
          }
          const next = queue.next(
            (one, other) => used[one]! < used[other]!,
            (item) => item.mayStart,
          );
          const able = waiting.filter((item) => item.mayStart);
          const least = Math.min(...able.map((item) => used[item.holder]!));
          const expected = able.find((item) => used[item.holder] === least) ?? null;
          assert.equal(next, expected);
          if (next === null) continue;
          queue.delete(next.holder, next);
          waiting.splice(waiting.indexOf(next), 1);
        }
      },
    ),
  );
});
