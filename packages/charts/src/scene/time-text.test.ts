import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shortDateText, tradingDateText } from './date-text.ts';
import { lengthText } from './duration-text.ts';
import { timeTexts } from './time-text.ts';

const ns = (text: string) => BigInt(Date.parse(text)) * 1_000_000n;

test('exchange time is the exchange’s clock, through the change of summer time too', () => {
  const chicago = timeTexts('exchange', 'America/Chicago');
  assert.equal(chicago.clock(ns('2026-11-17T20:10:00Z')), '14:10');
  assert.equal(chicago.clock(ns('2026-07-17T20:10:30Z'), true), '15:10:30');
  assert.equal(chicago.clock(ns('2026-03-08T07:59:00Z')), '01:59');
  assert.equal(chicago.clock(ns('2026-03-08T08:00:00Z')), '03:00');
  assert.equal(chicago.day(ns('2026-11-18T03:00:00Z')), 'Tue 17 Nov');
  assert.deepEqual([chicago.zone, chicago.zoneTitle], ['CT', 'Exchange time']);
});

test('UTC, an unknown exchange and zones of half an hour', () => {
  assert.equal(timeTexts('utc', 'America/Chicago').clock(ns('2026-11-17T20:10:00Z')), '20:10');
  assert.equal(timeTexts('exchange', null).zone, 'UTC');
  const kolkata = timeTexts('exchange', 'Asia/Kolkata');
  assert.equal(kolkata.clock(ns('2026-11-17T20:10:00Z')), '01:40');
  assert.equal(kolkata.zone, 'GMT+5:30');
});

test('round times of a zone are multiples of its local seconds', () => {
  const chicago = timeTexts('exchange', 'America/Chicago');
  assert.equal(chicago.localSeconds(ns('2026-11-17T06:00:00Z')) % 86_400, 0);
});

test('dates and lengths of time', () => {
  assert.equal(tradingDateText(20_261_117), 'Tue 17 Nov');
  assert.equal(shortDateText(20_260_103), '3 Jan');
  const lengths = [2.5, 40, 1200, 3900, 7200, 273_600].map((seconds) =>
    lengthText(BigInt(seconds * 1000) * 1_000_000n),
  );
  assert.deepEqual(lengths, ['2.5 s', '40 s', '20 min', '1 h 5 min', '2 h', '3 d 4 h']);
});
