/** The published definitions: complete, consistent, and matched by the golden objects. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { fits, type Schema } from '../../testing/twins/fits-schema.ts';
import type { Rank } from '../numbers.ts';
import { allocateBatch } from '../trade-batch.ts';
import { utcDay } from '../utc-day.ts';
import { INDICATORS, indicatorNamed, publishedDefinitions } from './catalogue.ts';
import { parseParams } from './params.ts';
import type { Mark } from './study.ts';

const ORDER = [
  'bars',
  'footprint',
  'large-trades',
  'delta',
  'volume-profile',
  'vwap',
  'imbalances',
  'absorption',
  'sweeps',
  'tpo',
  'naked-levels',
  'unfinished-auctions',
  'tape-speed',
  'session-levels',
];

describe('the catalogue', () => {
  it('lists the indicators in a lasting order and finds them by name only', () => {
    const ids = INDICATORS.map(({ id }) => id);
    assert.deepEqual(
      ids.filter((id) => ORDER.includes(id)),
      ORDER,
    );
    assert.equal(new Set(ids).size, ids.length);
    assert.equal(indicatorNamed('bars')?.id, 'bars');
    assert.equal(indicatorNamed('constructor'), null);
  });

  it('publishes plain data', () => {
    const published = publishedDefinitions();
    assert.deepEqual(JSON.parse(JSON.stringify(published)), published);
  });

  for (const indicator of INDICATORS) {
    const schema = indicator.data as Schema;
    const vectors = readFileSync(
      new URL(
        `../../../../contract/vectors/${indicator.id}.v${indicator.version}.jsonl`,
        import.meta.url,
      ),
      'utf8',
    );

    it(`${indicator.id}: objects fit their schema, the example included [OBJ-05]`, () => {
      assert.ok(fits(schema, indicator.example.data));
      const objects = vectors
        .trimEnd()
        .split('\n')
        .flatMap((line) => (JSON.parse(line) as { log: { data: unknown }[] }).log);
      assert.ok(objects.length > 10);
      for (const { data } of objects) {
        // A remove has no data.
        assert.ok(data === undefined || fits(schema, data), JSON.stringify(data));
      }
      assert.ok(!fits(schema, { ...(objects[0]!.data as object), extra: 1 }));
    });

    it(`${indicator.id}: an object that did not change since a mark is not visited again [DET-07]`, () => {
      const parsed = parseParams(indicator, indicator.id === 'large-trades' ? { minSize: 1 } : {});
      assert.ok('params' in parsed);
      const study = indicator.create(parsed.params);
      const day = utcDay(20260105);
      const output = { upsert: () => {}, remove: () => {} };
      const session = { date: day, origin: day, openNs: 0, closeNs: 1_000, isWhole: () => true };
      study.openSession(session, output);
      const rows = 3;
      const batch = allocateBatch(day, 1 as Rank, rows);
      for (let row = 0; row < rows; row += 1) {
        batch.price[row] = row;
        batch.size[row] = 1;
        batch.side[row] = 1;
      }
      study.apply(batch, 0, rows, 0);
      const visited = (since: Mark | null) => {
        const marks: Mark[] = [];
        study.forming(since, (_, mark) => marks.push({ ...mark }));
        return marks;
      };
      const all = visited(null);
      assert.deepEqual(visited({ day, rank: 0 as Rank, k: 0 }), all);
      for (const [index, mark] of all.entries()) {
        assert.deepEqual(visited(mark), all.slice(index + 1));
        assert.deepEqual(visited({ ...mark, k: mark.k - 1 }), all.slice(index));
      }
    });

    it(`${indicator.id}: defaults and presets are accepted, and the presets differ`, () => {
      for (const { params } of [{ params: {} }, ...indicator.presets]) {
        assert.ok('params' in parseParams(indicator, params));
      }
      const ids = indicator.presets.map(({ id }) => id);
      assert.equal(new Set(ids).size, ids.length);
    });
  }
});
