import assert from 'node:assert/strict';
import { test } from 'node:test';
import { calendarNamed } from '@tapeloom/core/calendar/calendars';
import { extendSessionBook } from '@tapeloom/core/calendar/session-book';
import { addDays, epochNs, utcDay } from '@tapeloom/core/utc-day';
import { SimDisk } from '../../../../../simulation/disk/sim-disk.ts';
import { SessionStore } from './session-store.ts';

const CALENDAR = calendarNamed('cme-equity');
const TODAY = utcDay(20_261_112);
const NOW = epochNs(TODAY, 0);
const day = (offset: number) => addDays(TODAY, offset);

test('the writer of a tape and an import that extend a book at once lose nothing of each other', async () => {
  for (const isWriterLast of [true, false]) {
    const store = new SessionStore(new SimDisk().boot(), '/data/tape', 'FEED');
    await store.save(extendSessionBook(null, CALENDAR, day(-60), day(60), NOW));
    // Both have loaded the book before either saves its own.
    const [writer, importing] = [await store.load('cme-equity'), await store.load('cme-equity')];
    const saves = [
      () => store.save(extendSessionBook(writer, CALENDAR, day(-60), day(61), NOW)),
      () => store.saveImported(extendSessionBook(importing, CALENDAR, day(-460), day(0), NOW)),
    ];
    for (const save of isWriterLast ? saves.toReversed() : saves) await save();
    const joined = await store.load('cme-equity');
    assert.deepEqual(joined, extendSessionBook(null, CALENDAR, day(-460), day(61), NOW));
    assert.deepEqual(await store.calendars(), ['cme-equity']);
    // The next day is entered with both, and so is the next import.
    await store.save(extendSessionBook(joined, CALENDAR, day(-60), day(62), NOW));
    assert.deepEqual(
      await store.load('cme-equity'),
      extendSessionBook(null, CALENDAR, day(-460), day(62), NOW),
    );
  }
});

test('the book of either is the book until there are both', async () => {
  const store = new SessionStore(new SimDisk().boot(), '/data/tape', 'FEED');
  assert.deepEqual([await store.load('cme-equity'), await store.calendars()], [null, []]);
  const book = extendSessionBook(null, CALENDAR, day(-60), day(60), NOW);
  await store.saveImported(book);
  assert.deepEqual(await store.load('cme-equity'), book);
});
