/**
 * Reads a resumed export: its token and position, checked as strictly as a query, and the rights of the present caller,
 * which may differ from those at its start.
 */

import { dayOf, later } from '@tapeloom/core/utc-day';
import { latest } from '../../accounts/store/sound-times.ts';
import type { ExportBegun } from '../../exports/export-token.ts';
import type { HistoryQuery } from '../../history/history-query.ts';
import { invalidParameters, ProblemError } from '../server/problems/problem-error.ts';
import { EXPORT_FORMATS, type ExportAsked } from './export-answer.ts';
import { visibleTo } from './history-access.ts';

const COUNT = /^(?:0|[1-9]\d{0,14})$/;
const RESUME_FIELDS: readonly string[] = ['resume', 'line', 'byte'];

export interface ExportResume {
  readonly begun: ExportBegun;
  readonly token: string;
  /** The first requested line or byte. */
  readonly first: number;
}

/** Throws when the export cannot be resumed there. */
export function readResume(
  asked: ExportAsked,
  raw: Readonly<Record<string, unknown>>,
): ExportResume {
  const { resume: token, ...places } = raw;
  const faults = Object.entries(places).flatMap(([name, value]) => {
    if (!RESUME_FIELDS.includes(name)) {
      return [{ path: `/${name}`, message: 'cannot be combined with /resume' }];
    }
    const isCount = typeof value === 'string' && COUNT.test(value);
    return isCount ? [] : [{ path: `/${name}`, message: `must be a count of ${name}s` }];
  });
  if (faults.length > 0) throw invalidParameters(faults);
  const begun = begunBy(asked, String(token));
  const { format } = begun.queries[0]!;
  const { place } = EXPORT_FORMATS[format];
  for (const name of Object.keys(places).filter((other) => other !== place)) {
    const message = `cannot be used with a token of ${format}; use /${place} instead`;
    throw invalidParameters([{ path: `/${name}`, message }]);
  }
  return { begun, token: String(token), first: Number(places[place] ?? 0) };
}

function begunBy({ facts, caller }: ExportAsked, token: string): ExportBegun {
  const reading = facts.tokens.read(facts.accountsNow(), caller.accountId, token);
  switch (reading.t) {
    case 'good':
      return reading;
    case 'unknown':
      throw invalidParameters([{ path: '/resume', message: 'is not a token of this account' }]);
    case 'too-old':
      throw new ProblemError('CURSOR_EXPIRED', 'The token is older than 24 hours.');
    case 'outdated':
      throw new ProblemError(
        'CURSOR_EXPIRED',
        'The computation or the format has changed: start a new export.',
      );
    default:
      throw new RangeError(`no such reading: ${JSON.stringify(reading satisfies never)}`);
  }
}

/** The caller may use another key of the account, or its rights may have changed. */
export function requireRights({ facts, caller }: ExportAsked, query: HistoryQuery): void {
  const { entitlements } = caller;
  const { instrument: name, from, to } = query;
  const book = facts.book();
  const now = facts.now();
  const visible = visibleTo(caller, facts, name);
  const contract = book.contract(query.contract);
  const isAllowed =
    contract !== null &&
    entitlements.allowsInstrument({ name, contract, book, today: dayOf(visible), now });
  if (!isAllowed) {
    throw new ProblemError('FORBIDDEN', `The key does not allow the instrument "${name}".`);
  }
  const earliest = entitlements.historyFrom(now);
  // The node that began it may have had a later clock: its end becomes visible here in a moment.
  const reached = entitlements.visibleUntil(later(facts.tapeTime(name) ?? now, latest(now)));
  if (earliest === null || from < earliest || to > reached) {
    throw new ProblemError('FORBIDDEN', 'Your plan no longer covers this export.');
  }
  // After a restart the tape may need a moment to catch up with that position.
  if (to > visible) {
    throw new ProblemError(
      'WARMING',
      'The service is still reading its tape, or waits for the first trades of a new one. Try again soon.',
    );
  }
}
