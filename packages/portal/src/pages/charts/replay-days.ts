/** The past sessions that can be played: over, within the plan's history, and with data. */

import type { FeedSources, SessionsAnswer } from '@tapeloom/charts/feed/sources';
import type { SessionSpan } from '@tapeloom/charts/series/sessions';
import type { InstrumentHistory } from '@tapeloom/client';
import { zoneTexts } from './zone-texts.ts';

const DAY_MS = 86_400_000;

export interface DaysAsked {
  readonly instrument: string;
  readonly daysBack: number;
  readonly history: InstrumentHistory | null;
  readonly nowMs: number;
}

export async function daySessions(
  sources: Pick<FeedSources, 'sessions'>,
  asked: DaysAsked,
): Promise<readonly SessionSpan[]> {
  const { instrument, daysBack, history, nowMs } = asked;
  if (sources.sessions === undefined || history === null) return [];
  const from = [isoDay(nowMs - daysBack * DAY_MS), history.firstDay].sort().at(-1)!;
  const answer = await sources.sessions({ instrument, from, to: isoDay(nowMs) });
  return pastSessions(answer, asked);
}

export function pastSessions(
  { sessions }: Pick<SessionsAnswer, 'sessions'>,
  { history, nowMs }: Pick<DaysAsked, 'history' | 'nowMs'>,
): readonly SessionSpan[] {
  const missing = new Set(history?.missingDays ?? []);
  const nowNs = BigInt(nowMs) * 1_000_000n;
  return sessions
    .map(({ date, open, close, regular }) => ({
      date,
      openNs: BigInt(open),
      closeNs: BigInt(close),
      regular:
        regular === null ? null : { openNs: BigInt(regular.open), closeNs: BigInt(regular.close) },
    }))
    .filter(
      // A session that ends at midnight has nothing of the day that begins then.
      ({ closeNs }) =>
        closeNs <= nowNs && !missing.has(isoDay(Number((closeNs - 1n) / 1_000_000n))),
    );
}

/** 20261117 → `2026-11-17` */
export function dateText(date: number): string {
  const text = String(date);
  return `${text.slice(0, 4)}-${text.slice(4, 6)}-${text.slice(6)}`;
}

/** The trading date of a session: `Tue 17 Nov`. */
export function sessionDayText({ date }: Pick<SessionSpan, 'date'>): string {
  return zoneTexts('utc', null).day(BigInt(Date.parse(dateText(date))) * 1_000_000n);
}

function isoDay(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}
