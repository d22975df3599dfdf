import assert from 'node:assert/strict';
import { test } from 'node:test';
import { INDICATORS } from '@tapeloom/core/studies/catalogue';
import { dataFields, type FieldKind } from './data-fields.ts';

function namesOf(id: string, kind: FieldKind): string {
  const indicator = INDICATORS.find((it) => it.id === id)!;
  const fields = dataFields(indicator).filter((field) => field.kind === kind);
  return fields.map(({ name }) => name).join(' ');
}

test('prices are told from other numbers by what the schema says of them', () => {
  const prices: Readonly<Record<string, string>> = {
    bars: 'open high low close',
    footprint: 'open high low close poc vah val',
    'large-trades': 'first last high low',
    delta: '',
    'volume-profile': 'poc vah val high low',
    vwap: 'vwap upper1 lower1 upper2 lower2 upper3 lower3',
    imbalances: 'low high',
    absorption: 'price',
    sweeps: 'first last',
    tpo: 'poc vah val ibHigh ibLow high low',
    'naked-levels': 'price',
    'unfinished-auctions': 'price',
    'tape-speed': '',
    'session-levels': 'price',
  };
  for (const [id, names] of Object.entries(prices)) assert.equal(namesOf(id, 'price'), names, id);
});

test('times, texts and lists are known as such', () => {
  assert.equal(namesOf('large-trades', 'time'), 'end');
  assert.equal(namesOf('footprint', 'nested'), 'levels imbalances');
  assert.equal(namesOf('naked-levels', 'text'), 'kind');
});
