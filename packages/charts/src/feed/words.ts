/** What a chart says about its state: notes in the legend row, and the hem at its left edge. */

import { plainNumber, shareText } from './number-words.ts';

/**
 * What a reader can do about it. The page decides how: `try-now`, `use-here` and `resume` go to the shared connection,
 * `load-all`, `load-bars` and `load-again` to the feed, `see-plans` and `sign-in` are links, `go-last` is the view's.
 */
export type FeedActionId =
  | 'try-now'
  | 'use-here'
  | 'resume'
  | 'sign-in'
  | 'see-plans'
  | 'load-all'
  | 'load-bars'
  | 'load-again'
  | 'go-last';

export interface FeedAction {
  readonly id: FeedActionId;
  readonly text: string;
}

export type NoteKind =
  | 'lost'
  | 'reset'
  | 'other-tab'
  | 'paused'
  | 'signed-out'
  | 'plan-changed'
  | 'refused'
  | 'stale'
  | 'history-failed';

/** In the legend row, at the right. */
export interface FeedNote {
  readonly kind: NoteKind;
  readonly text: string;
  readonly actions: readonly FeedAction[];
}

export type HemWhy = 'no-history' | 'budget' | 'used-up' | 'start' | 'refused';

/** At the left edge of the chart. */
export interface HemText {
  readonly why: HemWhy;
  readonly text: string;
  readonly actions: readonly FeedAction[];
}

const SEE_HISTORICAL: FeedAction = { id: 'see-plans', text: 'See what Historical adds' };

export function noHistoryHem(planName: string): HemText {
  return {
    why: 'no-history',
    text: `The snapshot starts here. Your plan, ${planName}, has no history.`,
    actions: [SEE_HISTORICAL],
  };
}

/** `firstDay`: null: not known. `isOfPlan`: a plan with more history would have more. */
export function startHem(
  contract: string,
  firstDay: string | null,
  plan: { readonly name: string; readonly days: number } | null,
): HemText {
  if (plan !== null) {
    const text = `Your plan, ${plan.name}, has the history of the last ${plan.days} days.`;
    return { why: 'start', text, actions: [SEE_HISTORICAL] };
  }
  const since = firstDay === null ? 'here' : `on ${dayWords(firstDay)}`;
  return { why: 'start', text: `The history of ${contract} begins ${since}.`, actions: [] };
}

export interface HemCost {
  readonly units: number;
  readonly barsUnits: number;
  readonly indicators: number;
  readonly unitsPerMonth: number;
  /** Of the month. */
  readonly remaining: number;
  /** "footprint", "bars" */
  readonly barsName: string;
  /** "The rest of this session", "The session before" */
  readonly what: string;
  /** Milliseconds since 1970. */
  readonly nowMs: number;
}

export function budgetHem(cost: HemCost): HemText {
  const { units, barsUnits, indicators, unitsPerMonth, remaining, barsName, what, nowMs } = cost;
  const month = monthName(nowMs);
  const ofWhat = indicators > 1 ? ` for ${indicators} indicators` : '';
  const share = `${shareText(units / unitsPerMonth)} of ${month}'s ${plainNumber(unitsPerMonth)}`;
  const left = units > remaining ? ` Only ${plainNumber(remaining)} are left.` : '';
  const all: FeedAction = { id: 'load-all', text: 'Load it' };
  const name = `${barsName[0]!.toUpperCase()}${barsName.slice(1)}`;
  const bars: FeedAction = { id: 'load-bars', text: `${name} only, ${plainNumber(barsUnits)}` };
  const hasBars = indicators > 1 && barsUnits > 0 && barsUnits <= remaining;
  return {
    why: 'budget',
    text: `${what} costs ${plainNumber(units)} units${ofWhat}: ${share}.${left}`,
    actions: [...(units <= remaining ? [all] : []), ...(hasBars ? [bars] : [])],
  };
}

export interface ReplayCostFacts {
  readonly units: number;
  readonly indicators: number;
  readonly unitsPerMonth: number;
  /** Milliseconds since 1970. */
  readonly nowMs: number;
}

export function replayCostText(facts: ReplayCostFacts): string {
  const { units, indicators, unitsPerMonth, nowMs } = facts;
  const ofWhat = indicators > 1 ? ` for ${indicators} indicators` : '';
  const share = `${shareText(units / unitsPerMonth)} of ${monthName(nowMs)}'s ${plainNumber(unitsPerMonth)}`;
  return `This session costs ${plainNumber(units)} units${ofWhat}: ${share}.`;
}

export function usedUpHem(nowMs: number): HemText {
  const now = new Date(nowMs);
  const next = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1);
  return {
    why: 'used-up',
    text: `${monthName(nowMs)}'s history is used up. The stream goes on. History returns on 1 ${monthName(next)}, 00:00 UTC.`,
    actions: [],
  };
}

/** `message`: as the service says it. */
export function refusedHem(message: string): HemText {
  return { why: 'refused', text: `Older bars cannot be loaded. ${message}`, actions: [] };
}

export interface LostFacts {
  readonly awayMs: number;
  /** Of the last update, "14:13:20"; null: there was none. */
  readonly shownAt: string | null;
  /** The stream can resume: not away for longer than it remembers, or the plan has history. */
  readonly canResume: boolean;
}

export function lostNote({ awayMs, shownAt, canResume }: LostFacts): FeedNote {
  const away = `Reconnecting, away for ${durationWords(awayMs)}.`;
  const then = canResume
    ? `Nothing is lost: the stream resumes at ${shownAt}.`
    : 'The stream starts from a new snapshot then.';
  return {
    kind: 'lost',
    text: shownAt === null ? away : `${away} ${then}`,
    actions: [{ id: 'try-now', text: 'Try now' }],
  };
}

export function otherTabNote(shownAt: string | null, connectionsMax: number): FeedNote {
  const all = connectionsMax === 1 ? 'your only connection' : 'all your connections';
  const holder = connectionsMax === 1 ? 'Another tab holds' : 'Other tabs or programs hold';
  const shown = shownAt === null ? '' : ` This chart shows ${shownAt}.`;
  return {
    kind: 'other-tab',
    text: `${holder} ${all}.${shown}`,
    actions: [{ id: 'use-here', text: 'Use it here' }],
  };
}

export const PAUSED_NOTE: FeedNote = { kind: 'paused', text: 'Paused while hidden', actions: [] };

export const SIGNED_OUT_NOTE: FeedNote = {
  kind: 'signed-out',
  text: 'You are signed out. The picture stays; nothing new arrives.',
  actions: [{ id: 'sign-in', text: 'Sign in' }],
};

export function endedNote(code: string): FeedNote {
  const text =
    code === 'ENTITLEMENTS_CHANGED'
      ? 'Your plan has changed. The picture stays; nothing new arrives.'
      : 'The service has ended this stream. The picture stays; nothing new arrives.';
  return { kind: 'plan-changed', text, actions: [{ id: 'resume', text: 'Open it again' }] };
}

/** `at`: when the new state came, "14:52:07". Null: the reader sees it without words. */
export function resetNote(reason: string, at: string): FeedNote | null {
  if (reason === 'roll') return null;
  const why = RESET_REASONS[reason] ?? 'The stream began anew.';
  return { kind: 'reset', text: `${why} Loaded afresh at ${at}.`, actions: [] };
}

const RESET_REASONS: Readonly<Record<string, string>> = {
  cursor_expired: 'The last state was too old to continue.',
  entitlement_changed: 'Your plan has changed.',
  engine_changed: 'The computation has changed.',
  source_gap: 'Data of this session was added, or is missing.',
};

/** Of the bars: the whole chart has nothing to show. */
export function refusedNote(code: string, message: string): FeedNote {
  return { kind: 'refused', text: refusalWords(code, message), actions: [] };
}

/** Of one subscription. */
export function refusalWords(code: string, message: string): string {
  if (code !== 'QUOTA_EXCEEDED') return message;
  return 'Other programs use all subscriptions or custom configurations of your plan. Close one, or leave all parameters at their defaults.';
}

export function historyFailedNote(message: string, retryInMs: number | null): FeedNote {
  const then = retryInMs === null ? '' : ` Trying again in ${durationWords(retryInMs)}.`;
  return {
    kind: 'history-failed',
    text: `Older bars could not be loaded: ${message.replace(/\.$/, '')}.${then}`,
    actions: retryInMs === null ? [{ id: 'load-again', text: 'Load again' }] : [],
  };
}

export const STALE_NOTE: FeedNote = {
  kind: 'stale',
  text: 'The market is open, but its source is silent.',
  actions: [],
};
export const DOWN_NOTE: FeedNote = {
  kind: 'stale',
  text: 'The source of this market is not connected. The chart continues when it is back.',
  actions: [],
};

/** "8 s", "3 min 5 s", "2 h 10 min" */
export function durationWords(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000));
  const [minutes, hours] = [Math.floor(seconds / 60), Math.floor(seconds / 3_600)];
  if (hours > 0) return `${hours} h ${minutes % 60} min`;
  if (minutes === 0) return `${seconds} s`;
  return seconds % 60 === 0 ? `${minutes} min` : `${minutes} min ${seconds % 60} s`;
}

/** "2 November" of `2026-11-02`. */
export function dayWords(day: string): string {
  const ms = Date.parse(day);
  return Number.isNaN(ms) ? day : `${new Date(ms).getUTCDate()} ${monthName(ms)}`;
}

function monthName(ms: number): string {
  return new Date(ms).toLocaleString('en-US', { month: 'long', timeZone: 'UTC' });
}
