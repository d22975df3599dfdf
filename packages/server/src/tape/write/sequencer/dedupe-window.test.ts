import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { DedupeWindow, NEW, SEEN, TOO_OLD } from './dedupe-window.ts';

/** A straightforward reference implementation of the window. */
class Twin {
  readonly #seen = new Set<number>();
  #highest = -1;

  judge(id: number): number {
    if (id <= this.#highest - 4_096) return TOO_OLD;
    return this.#seen.has(id) ? SEEN : NEW;
  }

  add(id: number): void {
    this.#seen.add(id);
    this.#highest = Math.max(this.#highest, id);
  }
}

const ids = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.record({ step: fc.integer({ min: -40, max: 40 }) }) },
    { weight: 1, arbitrary: fc.record({ step: fc.integer({ min: -5_000, max: 5_000 }) }) },
    { weight: 1, arbitrary: fc.record({ step: fc.integer({ min: 0, max: 2 ** 40 }) }) },
  ),
  { maxLength: 200 },
);

test('a feed number is new exactly once, and too old 4,096 below the highest', () => {
  fc.assert(
    fc.property(ids, fc.nat(2 ** 45), (steps, start) => {
      const window = new DedupeWindow();
      const twin = new Twin();
      let id = start;
      for (const { step } of steps) {
        id = Math.max(0, id + step);
        const verdict = window.judge(id);
        assert.equal(verdict, twin.judge(id), `number ${id}`);
        if (verdict !== NEW) continue;
        window.add(id);
        twin.add(id);
      }
    }),
    { numRuns: 400 },
  );
});

test('a window restored from its bits judges as the one it came from', () => {
  fc.assert(
    fc.property(
      ids,
      fc.nat(2 ** 30),
      fc.array(fc.integer({ min: -6_000, max: 100 })),
      (steps, start, asked) => {
        const window = new DedupeWindow();
        let id = start;
        for (const { step } of steps) {
          id = Math.max(0, id + step);
          if (window.judge(id) === NEW) window.add(id);
        }
        const bits = new Uint8Array(window.bits.buffer).slice();
        const restored = DedupeWindow.restore(window.highest, bits);
        for (const offset of asked) {
          const other = Math.max(0, window.highest + offset);
          assert.equal(restored.judge(other), window.judge(other));
        }
      },
    ),
    { numRuns: 200 },
  );
});

test('the highest safe number is handled like any other', () => {
  const window = new DedupeWindow();
  window.add(Number.MAX_SAFE_INTEGER - 1);
  window.add(Number.MAX_SAFE_INTEGER);
  assert.equal(window.judge(Number.MAX_SAFE_INTEGER), SEEN);
  assert.equal(window.judge(Number.MAX_SAFE_INTEGER - 2), NEW);
  const restored = DedupeWindow.restore(window.highest, new Uint8Array(window.bits.buffer).slice());
  assert.equal(restored.judge(Number.MAX_SAFE_INTEGER - 1), SEEN);
});
