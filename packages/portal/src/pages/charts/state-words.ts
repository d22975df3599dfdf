/** What the frame says about the stream, the session, the contract and the month. */

import type { SharedState } from '@tapeloom/charts/feed/shared-connection';
import type { LiveState } from '@tapeloom/charts/series/chart-content';
import type { SessionSpan } from '@tapeloom/charts/series/sessions';
import { exactNumber } from '../../components/number-text.ts';

const NS_PER_SECOND = 1_000_000_000n;
const MINUTE = 60;
const HOUR = 3_600;
const DAY = 86_400;

export interface Pill {
  readonly text: string;
  readonly kind: 'ok' | 'warn' | 'accent' | 'plain';
  /** A ring instead of a disc: nothing arrives. */
  readonly isOpen: boolean;
}

export interface PillFacts {
  readonly connection: SharedState['t'];
  readonly live: LiveState;
  readonly delaySeconds: number;
  /** `17 Nov`; null: no replay. */
  readonly replayDay: string | null;
}

export function pillOf({ connection, live, delaySeconds, replayDay }: PillFacts): Pill {
  const idle = (text: string): Pill => ({ text, kind: 'plain', isOpen: true });
  const warn = (text: string, isOpen = true): Pill => ({ text, kind: 'warn', isOpen });
  if (replayDay !== null) return { text: `Replay, ${replayDay}`, kind: 'accent', isOpen: true };
  if (connection === 'signed-out') return warn('Signed out');
  if (connection === 'other-tab' || connection === 'paused') return warn('Paused');
  if (connection === 'lost') return warn('Reconnecting');
  if (connection === 'ended') return warn('Ended');
  switch (live) {
    case 'connecting':
      return idle('Connecting');
    case 'closed':
      return idle('Market closed');
    case 'stale':
      return warn('No data');
    case 'paused':
      return warn('Paused');
    case 'lost':
      return warn('Reconnecting');
    case 'delayed':
    case 'live':
    case 'replay':
      if (delaySeconds > 0) return warn(`${lateText(delaySeconds)} late`, false);
      return { text: 'Live', kind: 'ok', isOpen: false };
    default:
      return live satisfies never;
  }
}

/** `10 minutes` */
export function lateText(seconds: number): string {
  return seconds % MINUTE === 0
    ? `${seconds / MINUTE} ${seconds === MINUTE ? 'minute' : 'minutes'}`
    : `${seconds} seconds`;
}

/** `46 min`, `3 h 12 min`, `2 days`; less than a minute: `1 min`. */
export function spanText(ns: bigint): string {
  const seconds = Number(ns / NS_PER_SECOND);
  if (seconds >= 2 * DAY) return `${Math.floor(seconds / DAY)} days`;
  const minutes = Math.max(1, Math.ceil(seconds / MINUTE));
  if (minutes < 60) return `${minutes} min`;
  const rest = minutes % 60;
  return rest === 0 ? `${Math.floor(minutes / 60)} h` : `${Math.floor(minutes / 60)} h ${rest} min`;
}

export interface SessionWords {
  /** `Regular hours end in` */
  readonly text: string;
  /** `46 min` */
  readonly value: string;
}

/** The next change of the market's hours; null if no session of the list is near. */
export function sessionWords(spans: readonly SessionSpan[], nowNs: bigint): SessionWords | null {
  const now = spans.find(({ openNs, closeNs }) => openNs <= nowNs && nowNs < closeNs);
  if (now === undefined) {
    const next = spans.find(({ openNs }) => openNs > nowNs);
    return next === undefined ? null : { text: 'Opens in', value: spanText(next.openNs - nowNs) };
  }
  const { regular, closeNs } = now;
  if (regular !== null && nowNs < regular.openNs) {
    return { text: 'Regular hours begin in', value: spanText(regular.openNs - nowNs) };
  }
  if (regular !== null && nowNs < regular.closeNs) {
    return { text: 'Regular hours end in', value: spanText(regular.closeNs - nowNs) };
  }
  return { text: 'Session ends in', value: spanText(closeNs - nowNs) };
}

/** `0.1 s`, `12 s`, `3 min` */
export function lagText(ms: number): string {
  if (ms < 10_000) return `${(Math.max(0, ms) / 1_000).toFixed(1)} s`;
  if (ms < MINUTE * 1_000) return `${Math.round(ms / 1_000)} s`;
  return ms < HOUR * 1_000
    ? `${Math.round(ms / 60_000)} min`
    : `${Math.round(ms / (HOUR * 1_000))} h`;
}

/** `0.07%`, `12%`, `100%`; never 0% of something and never 100% before the end. */
export function sharePercent(share: number): string {
  if (share <= 0) return '0%';
  const percent = share * 100;
  if (percent >= 100) return '100%';
  if (percent < 0.001) return '<0.001%';
  const places = percent < 0.01 ? 3 : percent < 1 ? 2 : percent < 10 ? 1 : 0;
  const rounded = Number(percent.toFixed(places));
  return `${Math.min(rounded, 99.9)}%`;
}

/** `November`, of `2026-11`. */
export function monthName(period: string): string {
  const ms = Date.parse(`${period}-15T00:00:00Z`);
  return new Intl.DateTimeFormat('en', { month: 'long', timeZone: 'UTC' }).format(ms);
}

/** `3 of 50` */
export function ofText(count: number, max: number): string {
  return `${exactNumber(count)} of ${exactNumber(max)}`;
}
