import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EpochNs } from '@tapeloom/core/numbers';
import fc from 'fast-check';
import { checkedNotes } from '../tape/write/notes/offer-notes.ts';
import type { TapeNote } from '../tape/write/tape-note.ts';
import { dividedOffer } from './divided-offer.ts';

const gap = (at: number): TapeNote => ({
  kind: 'gap',
  gap: {
    ...{ symbol: `S${at}`, from: 1n as EpochNs, to: 2n as EpochNs },
    ...{ firstId: null, lastId: null, reason: 'outage' },
  },
});
const place = (at: number, length: number): TapeNote => ({
  kind: 'position',
  key: `line:S${at}`,
  text: 'x'.repeat(length),
});
const many = (count: number, make: (at: number) => TapeNote) =>
  Array.from({ length: count }, (_, at) => make(at));

test('every part is taken by the tape; gaps are never behind the trades, places never before them', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(0, 1, 1_023, 1_024, 1_025, 5_000),
      fc.constantFrom(0, 1, 300, 1_024, 3_000),
      fc.constantFrom(1, 200, 1_000),
      (gaps, places, length) => {
        const before = many(gaps, gap);
        const behind = many(places, (at) => place(at, length));
        const offers = dividedOffer({ batches: [], promise: 5n as EpochNs }, before, behind);
        for (const { notes } of offers) checkedNotes(notes);
        assert.deepEqual(
          offers.flatMap(({ notes }) => notes),
          [...before, ...behind],
        );
        const at = offers.findIndex(({ promise }) => promise !== null);
        assert.equal(offers.filter(({ promise }) => promise !== null).length, 1);
        const kinds = (from: number, to?: number) =>
          offers.slice(from, to).flatMap(({ notes }) => notes.map(({ kind }) => kind));
        assert.ok(!kinds(0, at).includes('position'));
        assert.ok(!kinds(at + 1).includes('gap'));
        if (places * (length + 100) < 128 * 1_024 && places <= 1_024) {
          assert.equal(at, offers.length - 1, 'places that fit are with the trades');
        }
      },
    ),
  );
});

test('an offer that fits stays one', () => {
  const offers = dividedOffer({ batches: [], promise: null }, [gap(1)], [place(1, 10)]);
  assert.deepEqual(offers, [{ batches: [], promise: null, notes: [gap(1), place(1, 10)] }]);
  assert.equal(dividedOffer({ batches: [], promise: 5n as EpochNs }, [], []).length, 1);
});
