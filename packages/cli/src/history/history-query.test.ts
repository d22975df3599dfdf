import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseInstant } from '@tapeloom/core/instant-text';
import { queryText, readQuery } from './history-query.ts';

const NOW = parseInstant('2026-11-12T12:00:00Z')!;
const words = ['ES.c.0', 'bars'];

test('times are dates, times, nanoseconds, and spans until now', () => {
  const rangeOf = (from: string, to?: string) =>
    queryText(readQuery({ values: { from, ...(to && { to }) }, words }, NOW)).replace(
      'ES.c.0 bars, ',
      '',
    );
  assert.equal(rangeOf('2026-11-11'), '2026-11-11 00:00:00Z to now');
  assert.equal(rangeOf('2h', '30m'), '2026-11-12 10:00:00Z to 2026-11-12 11:30:00Z');
  assert.equal(
    rangeOf('1794355200000000000', '2026-11-11T02:00:00+01:00'),
    '2026-11-11 00:00:00Z to 2026-11-11 01:00:00Z',
  );
  assert.throws(() => rangeOf('1h', '2h'), /--to must be after --from/);
  assert.throws(() => rangeOf('2x'), /a span until now like 7d, 12h or 30m; got 2x/);
});

test('what must stay the same at every call takes no span', () => {
  assert.throws(
    () => readQuery({ values: { from: '2h' }, words }, null),
    /--from must be a fixed time: with 2h the same command would not find its file again/,
  );
});

test('several indicators stand with commas, their parameters in a list', () => {
  const values = { from: '2026-11-12T12:00:00Z' };
  const studiesOf = (params?: string) =>
    readQuery(
      { values: { ...values, ...(params && { params }) }, words: ['ES.c.0', 'bars,delta'] },
      null,
    ).studies;
  assert.deepEqual(studiesOf(), [{ indicator: 'bars' }, { indicator: 'delta' }]);
  assert.deepEqual(studiesOf('[{"size":5},{}]'), [
    { indicator: 'bars', params: { size: 5 } },
    { indicator: 'delta', params: {} },
  ]);
  assert.throws(() => studiesOf('{"size":5}'), /a JSON list of 2 objects/);
});

test('only what was given is asked for', () => {
  assert.deepEqual(readQuery({ values: { from: '2026-11-12T12:00:00Z' }, words }, null), {
    instrument: 'ES.c.0',
    indicator: 'bars',
    from: NOW,
  });
  const values = { from: '2026-11-12T12:00:00Z', params: '{"size":5}', mode: 'confirmed' };
  assert.deepEqual(readQuery({ values: { ...values, dataset: 'sim' }, words }, null), {
    instrument: 'ES.c.0',
    indicator: 'bars',
    from: NOW,
    params: { size: 5 },
    mode: 'confirmed',
    dataset: 'sim',
  });
});
