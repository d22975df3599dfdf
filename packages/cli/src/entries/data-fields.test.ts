import assert from 'node:assert/strict';
import { test } from 'node:test';
import { INDICATORS } from '@tapeloom/core/studies/catalogue';
import { dataFields, type FieldKind } from './data-fields.ts';

function namesOf(id: string, kind: FieldKind): string {
  const indicator = INDICATORS.find((it) => it.id === id)!;
  const fields = dataFields(indicator).filter((field) => field.kind === kind);
  return fields.map(({ name }) => name).join(' ');
}

test('what is counted in ticks is told by the unit in the schema, whatever its description says', () => {
  const prices: Readonly<Record<string, string>> = {
    bars: 'open high low close',
    footprint: 'open high low close poc vah val',
    'large-trades': 'first last high low',
    delta: '',
    'volume-profile': 'poc vah val high low',
    vwap: 'vwap deviation upper1 lower1 upper2 lower2 upper3 lower3',
    imbalances: 'low high',
    absorption: 'price maxSlip',
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

test('lists of prices, and of rows that begin with one, are known', () => {
  const known = INDICATORS.flatMap((indicator) =>
    dataFields(indicator).flatMap(({ name, has }) =>
      has ? [`${indicator.id} ${name} ${has}`] : [],
    ),
  );
  assert.deepEqual(known.sort(), [
    'footprint imbalances priced-rows',
    'footprint levels priced-rows',
    'tpo rows priced-rows',
    'tpo singles prices',
    'volume-profile levels priced-rows',
  ]);
});

test('every number that a description calls a price, or counts in ticks, has its unit in the schema', () => {
  for (const { id, data } of INDICATORS) {
    const properties = Object.entries(data.properties as Record<string, Record<string, unknown>>);
    for (const [name, schema] of properties) {
      const types = [schema.type].flat();
      const isNumber = types.includes('integer') || types.includes('number');
      const isTold = /\bin ticks\b|\bmost ticks\b|^price of\b/i.test(String(schema.description));
      if (isNumber && isTold) assert.ok('x-unit' in schema, `${id}.${name}`);
    }
  }
});
