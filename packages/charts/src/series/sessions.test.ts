import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { calendarNamed } from '@tapeloom/core/calendar/calendars';
import type { SessionTable } from '@tapeloom/core/calendar/session';
import { extendSessionBook, sessionTable } from '@tapeloom/core/calendar/session-book';
import { epochNs, utcDay } from '@tapeloom/core/utc-day';
import { spansOf } from './session-spans.ts';
import { type SessionSpan, sessionAt } from './sessions.ts';

/** With the change of clocks, and holidays of short hours. */
const [FROM, TO] = [utcDay(20261019), utcDay(20261231)];

function listOf(table: SessionTable) {
  const sessions = [];
  let next = table.atOrAfter(epochNs(FROM, 0));
  while (next !== null) {
    sessions.push(next);
    next = table.atOrAfter(next.close);
  }
  return sessions;
}

describe('sessions', () => {
  for (const name of ['cme-equity', 'cme-rates', 'round-the-clock']) {
    it(`of each kind are those of the service: ${name}`, () => {
      const book = extendSessionBook(null, calendarNamed(name), FROM, TO, epochNs(FROM, 0));
      const full = listOf(sessionTable(book, 'full'));
      const days: SessionSpan[] = full.map(({ date, open, close, regular }) => ({
        ...{ date, openNs: open, closeNs: close },
        regular: regular === undefined ? null : { openNs: regular.open, closeNs: regular.close },
      }));
      // At the edges of the book its kinds may reach a day further.
      const isInside = ({ openNs }: { openNs: bigint }) =>
        openNs >= full[1]!.open && openNs <= full.at(-2)!.open;
      for (const kind of ['full', 'rth', 'utc'] as const) {
        const known = listOf(sessionTable(book, kind)).map(({ open, close }) => ({
          ...{ openNs: BigInt(open), closeNs: BigInt(close) },
        }));
        const spans = spansOf(kind, days).map(({ openNs, closeNs }) => ({ openNs, closeNs }));
        assert.deepEqual(spans.filter(isInside), known.filter(isInside));
        assert.equal(spans.length > 40, known.length > 40);
      }
    });
  }

  it('contain their open and not their close', () => {
    const spans = [
      { date: 1, openNs: 10n, closeNs: 20n, regular: null },
      { date: 2, openNs: 30n, closeNs: 40n, regular: null },
    ];
    const instants = [9n, 10n, 19n, 20n, 29n, 30n, 40n];
    assert.deepEqual(
      instants.map((ns) => sessionAt(spans, ns)),
      [-1, 0, 0, -1, -1, 1, -1],
    );
  });
});
