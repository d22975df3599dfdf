import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { epochNs, utcDay } from '../utc-day.ts';
import { calendarNamed } from './calendars.ts';
import { extendSessionBook, type SessionBook } from './session-book.ts';
import { formatSessionBook, parseSessionBook, SessionBookError } from './session-book-text.ts';

const FROM = utcDay(20261120);
const BOOK = book(20261204);
const TEXT = formatSessionBook(BOOK);

function book(to: number): SessionBook {
  return extendSessionBook(null, calendarNamed('cme-energy'), FROM, utcDay(to), epochNs(FROM, 0));
}

/** The text with a change and a matching CRC, as a faulty writer would make it. */
function rewritten(find: string | RegExp, replacement: string): string {
  const [body = ''] = TEXT.replace(find, replacement).split(',\n"crc32"');
  return `${body},\n"crc32":"${crc32(body).toString(16).padStart(8, '0')}"\n}\n`;
}

test('a book reads back as it was written, empty lists included', () => {
  assert.deepEqual(parseSessionBook(TEXT), BOOK);
  assert.equal(formatSessionBook(parseSessionBook(TEXT)), TEXT);
  const weekend = extendSessionBook(
    null,
    calendarNamed('cme-energy'),
    utcDay(20261121),
    utcDay(20261121),
    epochNs(FROM, 0),
  );
  assert.deepEqual(parseSessionBook(formatSessionBook(weekend)), weekend);
});

test('the text is JSON with one session a line', () => {
  const parsed: unknown = JSON.parse(TEXT);
  assert.deepEqual(Object.keys(parsed as object), [
    'version',
    'calendar',
    'from',
    'to',
    'full',
    'rth',
    'utc',
    'crc32',
  ]);
  assert.match(TEXT, /^\[20261127,"\d+","\d+"\],?$/m);
});

test('any changed, missing or added character is found', () => {
  const changes = fc.tuple(
    fc.nat({ max: TEXT.length - 1 }),
    fc.nat({ max: 1 }),
    fc.string({ maxLength: 1 }),
  );
  fc.assert(
    fc.property(changes, ([place, removed, inserted]) => {
      const text = TEXT.slice(0, place) + inserted + TEXT.slice(place + removed);
      if (text !== TEXT) assert.throws(() => parseSessionBook(text), SessionBookError);
    }),
    { numRuns: 1000 },
  );
});

test('a text cut anywhere is found', () => {
  for (let length = 0; length < TEXT.length; length += 7) {
    assert.throws(() => parseSessionBook(TEXT.slice(0, length)), /cut off or is none/);
  }
});

test('a book that was written wrong is refused with a sentence that says what is wrong', () => {
  const wrong: readonly [string, RegExp][] = [
    [rewritten('"version":1', '"version":2'), /has version 2, known is 1/],
    [rewritten('"calendar":"cme-energy"', '"calendar":7'), /lacks its calendar/],
    [rewritten('"from":20261120', '"from":20261131'), /range of dates/],
    [rewritten('"from":20261120', '"from":20261205'), /range of dates/],
    [rewritten('"from":20261120', '"from":20261123'), /full session that is none: \[20261120/],
    [rewritten('"rth":[', '"RTH":['), /no rth sessions/],
    [rewritten('[20261123,"', '[20261123,"0'), /full session that is none/],
    [rewritten('[20261123,"', '[20261123,"-'), /full session that is none/],
    [rewritten('[20261123,', '[20261120,'), /full sessions out of order at 20261120/],
    [rewritten(/\[20261123,"(\d+)","\d+"\]/, '[20261123,"$1","$1"]'), /session that is none/],
    [rewritten(/\[20261123,"\d+",/, '[20261123,"0",'), /full sessions out of order at 20261123/],
    [rewritten('{\n', '{\n,'), /is not JSON/],
  ];
  for (const [text, message] of wrong) {
    assert.throws(() => parseSessionBook(text), { name: 'SessionBookError', message });
  }
});
