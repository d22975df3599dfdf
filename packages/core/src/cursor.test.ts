import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { CURSOR_K_MAX, type Cursor, compareCursors, formatCursor, parseCursor } from './cursor.ts';
import { RANK_MAX, rank } from './numbers.ts';
import { dayFromNumber } from './utc-day.ts';

const cursors: fc.Arbitrary<Cursor> = fc
  .tuple(
    fc.integer({ min: 0, max: 2_932_896 }),
    fc.oneof(fc.nat({ max: 12 }), fc.integer({ min: 0, max: RANK_MAX })),
    fc.oneof(fc.nat({ max: 12 }), fc.integer({ min: 0, max: CURSOR_K_MAX })),
  )
  .map(([day, place, k]) => ({ day: dayFromNumber(day), rank: rank(place), k }));
const texts = cursors.map(formatCursor);

test('a cursor prints as <utcDay>.<rank>.<k> and reads back as itself [OBJ-06]', () => {
  fc.assert(
    fc.property(cursors, (cursor) => {
      const text = formatCursor(cursor);
      assert.match(text, /^\d{8}\.\d+\.\d+$/);
      assert.deepEqual(parseCursor(text), cursor);
    }),
    { numRuns: 2000 },
  );
  assert.deepEqual(parseCursor('20261113.48211.1'), { day: 20261113, rank: 48211, k: 1 });
  assert.deepEqual(parseCursor('20261113.0.0'), { day: 20261113, rank: 0, k: 0 });
});

test('every text that is read prints as exactly that text [OBJ-06] [OBJ-07]', () => {
  const nearMisses = fc
    .tuple(texts, fc.nat(), fc.constantFrom('', '0', '9', '.', '-', '+', ' ', '\n', 'e', '٣'))
    .map(([text, at, inserted]) => {
      const place = at % (text.length + 1);
      return text.slice(0, place) + inserted + text.slice(place + (at % 2));
    });
  fc.assert(
    fc.property(fc.oneof(nearMisses, fc.string()), (text) => {
      const cursor = parseCursor(text);
      if (cursor !== null) assert.equal(formatCursor(cursor), text);
    }),
    { numRuns: 5000 },
  );
});

test('a leading zero in any of the three numbers is refused, a lone 0 is not [OBJ-07]', () => {
  fc.assert(
    fc.property(texts, fc.nat({ max: 2 }), (text, part) => {
      const parts = text.split('.');
      parts[part] = `0${parts[part]}`;
      assert.equal(parseCursor(parts.join('.')), null);
    }),
    { numRuns: 500 },
  );
  for (const text of ['01.2.3', '020261113.1.1', '20261113.01.0', '20261113.1.00']) {
    assert.equal(parseCursor(text), null, text);
  }
});

test('signs, fractions, spaces and other writing of numbers are refused [OBJ-06]', () => {
  for (const text of [
    '',
    '20261113',
    '20261113.1',
    '20261113.1.1.1',
    '-20261113.1.1',
    '20261113.-1.1',
    '20261113.+1.1',
    '20261113.-0.1',
    '20261113.1e2.1',
    '20261113.0x1.1',
    ' 20261113.1.1',
    '20261113.1.1\n',
    '20261113. 1.1',
    '20261113..1',
    '20261113.1.',
    '20261113,1,1',
    '２０２６１１１３.1.1',
  ]) {
    assert.equal(parseCursor(text), null, JSON.stringify(text));
  }
});

test('a rank or k beyond 32 bits is refused, the greatest ones are read [OBJ-06]', () => {
  assert.deepEqual(parseCursor('20261113.4294967295.4294967295'), {
    day: 20261113,
    rank: RANK_MAX,
    k: CURSOR_K_MAX,
  });
  for (const text of [
    '20261113.4294967296.0',
    '20261113.1.4294967296',
    '20261113.9007199254740993.1',
    '20261113.1.99999999999999999999',
  ]) {
    assert.equal(parseCursor(text), null, text);
  }
});

test('a day that does not exist is refused [OBJ-06]', () => {
  for (const day of [20250229, 20261301, 20260631, 19691231, 99999999, 10000101, 5]) {
    assert.equal(parseCursor(`${day}.1.1`), null, String(day));
  }
});

test('cursors compare as numbers by day, then rank, then k [OBJ-08]', () => {
  const compare = (a: string, b: string) => {
    const [left, right] = [parseCursor(a), parseCursor(b)];
    assert.ok(left && right);
    return Math.sign(compareCursors(left, right));
  };
  assert.equal(compare('20261105.9.0', '20261105.10.0'), -1);
  assert.equal(compare('20261105.10.0', '20261106.0.0'), -1);
  assert.equal(compare('20261105.10.9', '20261105.10.10'), -1);
  assert.equal(compare('20261105.10.4294967295', '20261105.11.0'), -1);
  assert.equal(compare('20261105.10.2', '20261105.10.2'), 0);

  const weigh = ({ day, rank: place, k }: Cursor) =>
    (BigInt(day) << 64n) + (BigInt(place) << 32n) + BigInt(k);
  fc.assert(
    fc.property(cursors, cursors, (a, b) => {
      const [left, right] = [weigh(a), weigh(b)];
      assert.equal(Math.sign(compareCursors(a, b)), left < right ? -1 : Number(left > right));
      assert.equal(Math.sign(compareCursors(b, a)), -Math.sign(compareCursors(a, b)) + 0);
    }),
    { numRuns: 2000 },
  );
});
