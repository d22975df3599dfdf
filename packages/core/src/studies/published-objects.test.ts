import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Rank } from '../numbers.ts';
import { utcDay } from '../utc-day.ts';
import { PublishedObjects, SNAPSHOT_BYTES_MAX } from './published-objects.ts';

const POSITION = { day: utcDay(20260105), rank: 7 as Rank, k: 2 };

function version(id: string, final = true, data: unknown = {}) {
  return { id, final, ts: '5', data };
}

function idsOf(objects: PublishedObjects, depth = 5_000, mode: 'live' | 'confirmed' = 'live') {
  const { items } = objects.snapshot(POSITION, depth, mode);
  return (JSON.parse(items) as { id: string }[]).map(({ id }) => id);
}

describe('PublishedObjects', () => {
  it('encodes a version once, as it stands in messages and snapshots [OBJ-01]', () => {
    const objects = new PublishedObjects();
    const body = objects.upsert(version('a"b', false, { open: 1, levels: [[1, 2, 3]] }));
    assert.equal(
      body,
      String.raw`"id":"a\"b","final":false,"ts":"5","data":{"open":1,"levels":[[1,2,3]]}`,
    );
    assert.deepEqual(objects.snapshot(POSITION, 10, 'live'), {
      cursor: '20260105.7.2',
      items: `[{${body}}]`,
      count: 1,
    });
    assert.equal(objects.remove('a"b', false, '5'), String.raw`"id":"a\"b","final":false,"ts":"5"`);
    assert.equal(objects.snapshot(POSITION, 10, 'live').items, '[]');
  });

  it('keeps objects in the order of their first trades, whichever changed last, each once [OBJ-02] [DET-24]', () => {
    const objects = new PublishedObjects();
    for (const id of ['a', 'b', 'c', 'a']) objects.upsert(version(id));
    assert.deepEqual(idsOf(objects), ['a', 'b', 'c']);
    assert.deepEqual(idsOf(objects, 2), ['b', 'c']);
  });

  it('shows and drops the same objects in whatever order they were first published [DET-24]', () => {
    const inOrder = [
      '20251231.9',
      '20260101.2.1',
      '20260101.2.2',
      '20260101.2.10',
      '20260101.10.1',
    ];
    for (const order of [inOrder.toReversed(), [2, 0, 4, 1, 3].map((index) => inOrder[index]!)]) {
      const objects = new PublishedObjects();
      for (const id of order) objects.upsert(version(id));
      assert.deepEqual(idsOf(objects), inOrder);
      assert.deepEqual(idsOf(objects, 2), inOrder.slice(-2));
    }
    const many = new PublishedObjects();
    for (let n = 6_000; n > 0; n -= 1) many.upsert(version(`20260101.${n}`));
    assert.equal(idsOf(many)[0], '20260101.1001');
  });

  it('shows confirmed subscribers the newest final ones only [DET-16]', () => {
    const objects = new PublishedObjects();
    for (const id of ['a', 'b', 'c']) objects.upsert(version(id, id !== 'b'));
    assert.deepEqual(idsOf(objects, 2, 'confirmed'), ['a', 'c']);
  });

  it('forgets a session when the next one opens, unless its objects outlive it [DET-24]', () => {
    const [bars, zones] = [new PublishedObjects(), new PublishedObjects(true)];
    for (const objects of [bars, zones]) {
      objects.upsert(version('a'));
      objects.openSession();
      objects.upsert(version('b'));
    }
    assert.deepEqual(idsOf(bars), ['b']);
    assert.deepEqual(idsOf(zones), ['a', 'b']);
  });

  it('shows all objects that outlive sessions, whatever the depth [DET-24]', () => {
    const objects = new PublishedObjects(true);
    for (let n = 0; n < 7_000; n += 1) objects.upsert(version(`${n}`));
    for (let n = 0; n < 6_990; n += 1) objects.remove(`${n}`, true, '6');
    assert.deepEqual(
      idsOf(objects, 2),
      Array.from({ length: 10 }, (_, n) => `${6_990 + n}`),
    );
  });

  it('keeps the newest 5,000 and never more than 512 KiB of them [DET-24]', () => {
    const objects = new PublishedObjects();
    for (let n = 0; n < 13_001; n += 1) objects.upsert(version(`${n}`));
    assert.equal(idsOf(objects, 9_999).length, 5_000);
    assert.equal(idsOf(objects)[0], '8001');
    for (let n = 0; n < 100; n += 1) objects.upsert(version(`big${n}`, true, 'x'.repeat(9_000)));
    const { items, count } = objects.snapshot(POSITION, 5_000, 'live');
    assert.ok(items.length <= SNAPSHOT_BYTES_MAX && items.length > SNAPSHOT_BYTES_MAX - 9_100);
    assert.equal(count, idsOf(objects).length);
    assert.equal(idsOf(objects).at(-1), 'big99');
    const exactly = objects.snapshot(POSITION, 1, 'live').items.length;
    assert.equal(objects.snapshot(POSITION, 1, 'live', exactly).count, 1);
    assert.equal(objects.snapshot(POSITION, 1, 'live', exactly - 1).count, 0);
  });

  it('knows the size of what is not final, also when it keeps nothing else', () => {
    for (const isFormingOnly of [false, true]) {
      const objects = new PublishedObjects();
      objects.upsert(version('done'));
      if (isFormingOnly) objects.keepFormingOnly();
      assert.equal(objects.formingBytes, 0);
      const small = objects.upsert(version('a', false)).length;
      assert.equal(objects.formingBytes, small + 64);
      const large = objects.upsert(version('a', false, 'x'.repeat(500))).length;
      const other = objects.upsert(version('b', false)).length;
      assert.equal(objects.formingBytes, large + other + 2 * 64);
      objects.remove('b', false, '6');
      assert.equal(objects.formingBytes, large + 64);
      objects.upsert(version('a', true));
      assert.equal(objects.formingBytes, 0);
      assert.deepEqual(idsOf(objects), isFormingOnly ? [] : ['done', 'a']);
      objects.upsert(version('c', false));
      objects.openSession();
      assert.equal(objects.formingBytes, 0);
    }
  });

  it('drops nothing that still forms, however old it is', () => {
    const objects = new PublishedObjects();
    objects.upsert(version('0', false));
    const size = objects.formingBytes;
    for (let n = 1; n < 13_001; n += 1) objects.upsert(version(`${n}`));
    assert.equal(objects.formingBytes, size);
    objects.upsert(version('0', true));
    assert.equal(objects.formingBytes, 0);
  });
});
