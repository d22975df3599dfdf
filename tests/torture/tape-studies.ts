/** The output of every study over a tape: each settled object with its cursor. */

import { calendarNamed } from '@tapeloom/core/calendar/calendars';
import { resolveSessions } from '@tapeloom/core/calendar/resolve-sessions';
import { createSessionTable } from '@tapeloom/core/calendar/session-table';
import type { EpochNs, Rank, UtcDay } from '@tapeloom/core/numbers';
import { INDICATORS } from '@tapeloom/core/studies/catalogue';
import type { Indicator } from '@tapeloom/core/studies/indicator';
import { parseParams } from '@tapeloom/core/studies/params';
import { StudyRun } from '@tapeloom/core/studies/run';
import { dayOf, epochNs } from '@tapeloom/core/utc-day';
import type { Tape } from '@tapeloom/server/tape/tape';

export async function studyObjects(
  tape: Tape,
  symbol: string,
  from: UtcDay,
  promise: EpochNs,
): Promise<readonly (readonly [indicator: string, objects: readonly unknown[]])[]> {
  const all: (readonly [string, readonly unknown[]])[] = [];
  for (const indicator of INDICATORS) {
    all.push([indicator.id, await objectsOf(indicator, tape, symbol, from, promise)]);
  }
  return all;
}

async function objectsOf(
  indicator: Indicator,
  tape: Tape,
  symbol: string,
  from: UtcDay,
  promise: EpochNs,
): Promise<readonly unknown[]> {
  const parsed = parseParams(indicator, {});
  if (!('params' in parsed)) throw new Error(`${indicator.id} has no default parameters`);
  const kind = indicator.sessionKind(parsed.params);
  const calendar = calendarNamed('round-the-clock');
  const sessions = createSessionTable(resolveSessions(calendar, kind, from, dayOf(promise)));
  const objects: unknown[] = [];
  const run = new StudyRun(
    indicator.create(parsed.params),
    sessions,
    { at: epochNs(from, 0), rank: 0 as Rank },
    {
      output: {
        upsert: (version, cursor) => objects.push([version, cursor]),
        remove: (id, final, ts, cursor) => objects.push([id, final, ts, cursor]),
        openSession: () => {},
        flushed: () => {},
      },
    },
  );
  for await (const batch of tape.read(symbol, { day: from, rank: 0 as Rank })) run.apply(batch);
  run.advance(promise);
  return objects;
}
