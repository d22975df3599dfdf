import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readInstruments } from './read-instruments.ts';
import { needsRestart } from './running-instruments.ts';

const ES = { extends: 'ES', calendar: 'hours', contracts: { from: '2026-09', to: '2027-06' } };
const GLBX = {
  calendars: { hours: { extends: 'cme-equity' } },
  products: { ES },
  aliases: { 'ES.c.0': { product: 'ES', roll: 'calendar' } },
};
const COINS = {
  products: { BTCUSDT: { extends: 'crypto-perpetual', name: 'Bitcoin', tick: '0.1', lot: '1' } },
};
const listed = (datasets: object) => readInstruments(JSON.stringify({ datasets })).datasets;
const reasons = (before: object, after: object) => needsRestart(listed(before), listed(after));

test('new contracts, products, aliases and calendars of a dataset that runs need no restart', () => {
  const after = {
    calendars: { ...GLBX.calendars, others: { extends: 'cme-energy' } },
    products: {
      ES: { ...ES, contracts: { from: '2026-09', to: '2027-12' } },
      CL: { extends: 'CL', calendar: 'others', contracts: { from: '2027-01', to: '2027-06' } },
    },
    aliases: { ...GLBX.aliases, 'CL.c.0': { product: 'CL', roll: 'calendar' } },
  };
  assert.deepEqual(reasons({ GLBX }, { GLBX: after }), []);
  assert.deepEqual(reasons({ GLBX }, { GLBX }), []);
});

test('other rolls of an alias need no restart', () => {
  const aliases = {
    'ES.c.0': { product: 'ES', roll: [{ from: '2026-09-01', symbol: 'ESU6' }] },
  };
  assert.deepEqual(reasons({ GLBX }, { GLBX: { ...GLBX, aliases } }), []);
});

test('a dataset that comes or goes needs a restart', () => {
  assert.deepEqual(reasons({ GLBX }, { GLBX, COINS }), ['The dataset COINS is new.']);
  assert.deepEqual(reasons({ GLBX, COINS }, { GLBX }), ['The dataset COINS is gone.']);
});

test('changed terms, sessions and names that are gone need a restart', () => {
  const other = (changes: object) => reasons({ GLBX }, { GLBX: { ...GLBX, ...changes } });
  assert.deepEqual(other({ products: { ES: { ...ES, tick: '0.5' } } }), [
    'GLBX: the contract ESU6, ESZ6, ESH7, ESM7 has changed.',
  ]);
  const contracts = { from: '2026-12', to: '2027-06' };
  assert.deepEqual(other({ products: { ES: { ...ES, contracts } } }), [
    'GLBX: the contract ESU6 is gone.',
  ]);
  assert.deepEqual(other({ aliases: {} }), ['GLBX: the alias ES.c.0 is gone.']);
  const holidays = [{ days: '2027-01-09', close: '08:30', day: 'none' }];
  assert.deepEqual(other({ calendars: { hours: { extends: 'cme-equity', holidays } } }), [
    'GLBX: the calendar hours has changed.',
  ]);
});

test('another source of trades needs a restart', () => {
  const live = { source: 'push' };
  assert.deepEqual(reasons({ GLBX }, { GLBX: { ...GLBX, live } }), ['GLBX: `live` has changed.']);
  assert.deepEqual(reasons({ GLBX: { ...GLBX, live } }, { GLBX: { live, ...GLBX } }), []);
});
