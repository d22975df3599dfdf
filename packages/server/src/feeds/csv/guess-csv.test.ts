import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CSV_PRESETS, type CsvHints } from './csv-guess.ts';
import { guessCsv } from './guess-csv.ts';

const guess = (text: string, hints: CsvHints = {}, path = 'trades.csv') =>
  guessCsv(new TextEncoder().encode(text), path, hints);
const asked = (text: string, hints?: CsvHints, path?: string) =>
  guess(text, hints, path).unclear.map(({ about }) => about);

describe('a mapping that is guessed', () => {
  it('takes columns by their names and times by their digits, and says why', () => {
    const { mapping, preset, reasons, unclear } = guess(
      'Trade Time;Symbol;Price;Qty;Side\n1690000000123;ESU6;5000,25;3;Buy\n1690000000124;ESU6;5000,5;1;Sell\n',
    );
    assert.deepEqual(unclear, []);
    assert.equal(preset, null);
    assert.deepEqual(mapping?.time, { kind: 'epoch', column: 'Trade Time', unit: 'by-digits' });
    assert.equal(mapping?.decimalSign, ',');
    assert.ok(reasons.some((reason) => reason.includes('13 digits: milliseconds')));
  });

  it('asks for a zone when times do not say theirs, and takes the one that is given', () => {
    const text = 'datetime,price,size\n2026-03-10 09:30:00.5,1.5,2\n';
    assert.deepEqual(asked(text), ['zone']);
    assert.equal(guess(text).mapping, null);
    const { mapping } = guess(text, { zone: 'America/New_York' });
    assert.deepEqual(mapping?.time, {
      kind: 'text',
      column: 'datetime',
      pattern: 'iso',
      zone: 'America/New_York',
    });
    assert.deepEqual(asked(text, { zone: 'Nowhere/Else' }), ['zone']);
    assert.deepEqual(asked('datetime,price,size\n2026-03-10T09:30:00Z,1.5,2\n'), []);
  });

  it('asks whether the day or the month comes first, unless a date can only be one', () => {
    const rows = (date: string) => `Date,Time,Price,Volume\n${date},09:30:00,1.5,2\n`;
    const zone = 'UTC';
    assert.deepEqual(asked(rows('03/04/2026'), { zone }), ['dayMonth']);
    assert.deepEqual(asked(rows('03/04/2026'), { zone, dayMonth: 'day-first' }), []);
    const pattern = (date: string, hints: CsvHints = { zone }) => {
      const time = guess(rows(date), hints).mapping?.time;
      return time?.kind === 'date-and-time' ? time.datePattern : null;
    };
    assert.equal(pattern('13/04/2026'), 'd/M/yyyy');
    assert.equal(pattern('04/13/2026'), 'M/d/yyyy');
    assert.equal(pattern('04.03.2026', { zone, dayMonth: 'day-first' }), 'd.M.yyyy');
    assert.equal(pattern('20260413'), 'yyyyMMdd');
  });

  it('asks what else could be meant in two ways', () => {
    const cases: readonly (readonly [string, string])[] = [
      ['time,price,size\n123456,1.5,2\n', 'time'],
      ['time,price,size\nyesterday,1.5,2\n', 'time'],
      ['time,price,size,side\n1690000000123,1.5,2,A\n', 'side'],
      ['time;price;size\n1690000000123;1,500;2\n', 'columns'],
      ['time,value,size\n1690000000123,1.5,2\n', 'columns'],
      ['time,price,price,size\n1690000000123,1.5,1.5,2\n', 'columns'],
      ['1690000000123,1.5,2\n1690000000124,1.5,2\n', 'columns'],
      ['time,price,size\n', 'content'],
      ['no rows at all', 'content'],
      ['', 'content'],
    ];
    for (const [text, about] of cases) assert.deepEqual(asked(text), [about], text);
    const uneven =
      'Date,Time,Price,Size\n2026-03-10,09:30:00.4000,1,1\n2026-03-10,09:30:00.87012,1,1\n';
    assert.deepEqual(asked(uneven, { zone: 'UTC' }), ['time']);
  });

  it('asks about files of known programs that are no trades, or leave something unsaid', () => {
    const sierra =
      'Date, Time, Open, High, Low, Last, Volume, NumberOfTrades, BidVolume, AskVolume\n2026/5/24, 13:30:00.018, 1, 2, 1, 2, 9, 5, 4, 5\n';
    assert.deepEqual(asked(sierra), ['zone', 'content']);
    const ticks = '20260310 143000 0000000;5000.25;5000;5000.25;3\n';
    assert.deepEqual(asked(ticks, {}, 'ES 03-26.Last.txt'), []);
    assert.equal(guess(ticks, {}, 'x/ES 03-26.Last.txt').symbol, 'ES 03-26');
    const sideOf = (hints: CsvHints) => guess(ticks, hints, 'ES 03-26.Last.txt').mapping?.side.kind;
    assert.deepEqual([sideOf({}), sideOf({ hasSideByQuotes: true })], ['none', 'quotes']);
    assert.deepEqual(asked(ticks, {}, 'ES 03-26.Bid.txt'), ['content']);
    assert.deepEqual(asked('20260310 143000;1;2;1;2;9\n', {}, 'ES 03-26.Last.txt'), ['content']);
    const lean = '52200000,5000.25,3,CME,0,0\n';
    assert.deepEqual(asked(lean, {}, '20260310_es_tick_trade_202603.csv'), ['zone']);
    assert.deepEqual(asked(lean, { preset: 'quantconnect', zone: 'UTC' }), ['date']);
    assert.deepEqual(asked(lean, { preset: 'quantconnect', zone: 'UTC', date: 20260310 }), []);
    const bbo = 'ts_recv,ts_event,rtype,price,size,side\n1,1,195,1,1,N\n';
    assert.deepEqual(asked(bbo), ['content']);
  });

  it('refuses a form that was named and does not fit', () => {
    for (const preset of CSV_PRESETS) {
      const { mapping, unclear } = guess('a,b\nc,1\n', { preset, zone: 'UTC', date: 20260310 });
      assert.equal(mapping, null, preset);
      assert.ok(
        unclear.some(({ about }) => about === 'content'),
        preset,
      );
    }
  });
});
