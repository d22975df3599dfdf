import assert from 'node:assert/strict';
import { test } from 'node:test';
import { epochNs, utcDay } from '@tapeloom/core/utc-day';
import { diffInstruments } from './instruments-diff.ts';
import { readInstruments } from './read-instruments.ts';

const NOW = epochNs(utcDay(20261116), 15 * 3_600_000_000_000);

interface Edit {
  readonly es?: object;
  readonly cl?: object;
  readonly aliases?: object;
  readonly holidays?: readonly object[];
}

function file({ es = {}, cl = {}, aliases = {}, holidays = [] }: Edit = {}): string {
  const contracts = { from: '2026-09', to: '2027-06' };
  return JSON.stringify({
    datasets: {
      GLBX: {
        calendars: { hours: { extends: 'cme-equity', holidays } },
        products: {
          ES: { extends: 'ES', calendar: 'hours', contracts, ...es },
          CL: { extends: 'CL', contracts: { from: '2026-12', to: '2027-06' }, ...cl },
        },
        aliases: {
          'ES.c.0': { product: 'ES', roll: 'calendar' },
          'CL.v.0': { product: 'CL', roll: 'volume', from: '2026-10-21' },
          ...aliases,
        },
      },
    },
  });
}

function diff(before: Edit, after: Edit): readonly string[] {
  const [old, young] = [before, after].map((edit) => readInstruments(file(edit)));
  return diffInstruments(old!, young!, NOW).map(({ isRefused, sentence }) =>
    isRefused ? `REFUSED ${sentence}` : sentence,
  );
}

test('the same instruments change nothing; a dataset comes or goes as a whole', () => {
  assert.deepEqual(diff({}, {}), []);
  const [one, other] = [file(), file().replace('GLBX', 'OTHER')].map(readInstruments);
  assert.deepEqual(diffInstruments(one!, other!, NOW), [
    { dataset: 'GLBX', isRefused: false, sentence: 'The dataset is gone, with 11 contracts.' },
    { dataset: 'OTHER', isRefused: false, sentence: 'The dataset is new, with 11 contracts.' },
  ]);
});

test('contracts that are new or gone are told by name', () => {
  const shorter = {
    es: { contracts: { from: '2026-12', to: '2027-06' } },
    aliases: { 'ES.c.0': { product: 'ES', roll: 'calendar', from: '2026-06-19' } },
  };
  assert.ok(diff(shorter, {}).includes('New: ESU6.'));
  assert.ok(diff({}, shorter).includes('Gone: ESU6.'));
});

test('terms that change alike share a sentence', () => {
  const few = { contracts: { from: '2026-12', to: '2027-01' } };
  const cl = { ...few, tick: '0.005', pointValue: '100' };
  assert.deepEqual(diff({ cl: few }, { cl }), [
    'The tick of CLZ6, CLF7 becomes 0.005, it was 0.01.',
    'The point value of CLZ6, CLF7 becomes 100, it was 1000.',
  ]);
});

test('sessions that have not opened may change, those that have stay', () => {
  const holidays = [{ days: ['2026-11-10', '2026-12-01'], close: '12:00', day: 'none' }];
  assert.deepEqual(diff({}, { holidays }), [
    'hours, trading day: 2026-12-01 2026-11-30 23:00 to 2026-12-01 18:00 UTC, it was 2026-11-30 23:00 to 2026-12-01 22:00 UTC.',
    'hours, trading day: 1 session of the last 31 days would differ, but what has opened stays as it was.',
    'hours, regular hours: 2026-12-01 closed, it was 2026-12-01 14:30 to 2026-12-01 21:00 UTC.',
    'hours, regular hours: 1 session of the last 31 days would differ, but what has opened stays as it was.',
  ]);
});

test('planned rolls may change, those in effect never do', () => {
  const later = { es: { roll: { rule: 'before-expiry', businessDays: 2 } } };
  const [past, planned] = diff({}, later);
  assert.equal(
    past,
    'REFUSED ES.c.0 means ESU6 from 2026-09-14 on, it was ESZ6: rolls in effect never change.',
  );
  assert.match(planned!, /^ES\.c\.0 means ESZ6 from 2026-12-14 on, it was ESH7;/);
});

test('of rolls by volume only what is ahead is told, and a change of the rule', () => {
  const begunLater = { 'CL.v.0': { product: 'CL', roll: 'volume', from: '2026-11-01' } };
  assert.deepEqual(diff({}, { aliases: begunLater }), []);
  const sooner = { cl: { roll: { rule: 'before-expiry', businessDays: 9 } } };
  const [first] = diff({}, sooner);
  assert.match(first!, /^CL\.v\.0 means CLG7 from 2026-12-\d\d on at the latest, it was CLF7;/);
  const byPlan = { 'CL.v.0': { product: 'CL', roll: 'calendar', from: '2026-10-21' } };
  assert.equal(diff({}, { aliases: byPlan })[0], 'CL.v.0 rolls by plan, it was by volume.');
  const more = { aliases: { 'ES.v.0': { product: 'ES', roll: 'volume' } } };
  assert.deepEqual(diff({}, more), ['The alias ES.v.0 is new.']);
  assert.deepEqual(diff(more, {}), ['The alias ES.v.0 is gone.']);
});
