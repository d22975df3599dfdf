/**
 * What passes over the line of one subscription, followed by the rules of the interface beside the client library: a
 * `snapshot` replaces the state, a `reset` empties it, an update whose cursor is not greater than the last one is not applied but
 * counted, an `hb` only raises the cursor. What the server may not do is said at once.
 */

import type { SubscriptionState } from '@tapeloom/client/stream';
import { compareCursors, parseCursor } from '@tapeloom/core/cursor';
import type { GivenParams } from '@tapeloom/core/studies/indicator';
import type { StreamMode } from '@tapeloom/protocol/client-messages';
import type { ServerMessage } from '@tapeloom/protocol/server-messages';

/** A snapshot is at most so far behind the service's time. */
const SNAPSHOT_LAG_MS = 180_000;

export interface ResumeStream {
  readonly instrument: string;
  readonly indicator: string;
  readonly params: GivenParams;
  readonly mode: StreamMode;
  /** Publishes all the time: an old cursor of it is surely beyond the ring. */
  readonly isBusy: boolean;
}

/** What one subscription has, and where that came from. */
export interface Followed {
  readonly stream: ResumeStream;
  /** By id, the object as text. */
  readonly state: Map<string, string>;
  /** The last cursor received. */
  cursor: string | null;
  /** In the service's time: the cursor's place on the tape lies between these. */
  notBeforeMs: number;
  notAfterMs: number;
  /** The snapshot that its state began with. */
  base: { readonly cursor: string; readonly items: ReadonlyMap<string, string> } | null;
  /** Cursors of the updates applied since, counted. */
  applied: number;
  /** Updates that were not beyond the last cursor. */
  ignored: number;
  resumes: number;
  resets: number;
  /** Cursors that had to be expired, and those as old that history covers. */
  expired: number;
  covered: number;
  /** Since the subscribe: what came, and what had to be. */
  phase: 'asked' | 'accepted' | 'reset' | 'following';
  resetsSinceAsked: number;
  /** Whether the cursor may not be reset. An old one need not be: nothing may have been published since. */
  isGood: boolean;
  /** The cursor of an `hb` since the cuts ended: here the state may be compared. */
  final: string | null;
}

export function newFollowed(stream: ResumeStream): Followed {
  return {
    stream,
    state: new Map(),
    cursor: null,
    notBeforeMs: 0,
    notAfterMs: 0,
    base: null,
    applied: 0,
    ignored: 0,
    resumes: 0,
    resets: 0,
    expired: 0,
    covered: 0,
    phase: 'asked',
    resetsSinceAsked: 0,
    isGood: false,
    final: null,
  };
}

/** The client names its subscriptions s1, s2 and so on. */
export function numberOf(sub: string): number {
  return Number(sub.slice(1)) - 1;
}

/** How the state that the client keeps differs from the one that was followed; null when it does not. */
export function clientsState(followed: Followed, state: SubscriptionState<string>): string | null {
  if (state.cursor !== followed.cursor) return `the client's cursor is ${state.cursor}`;
  const kept = Array.from(state.objects.values(), ({ id, final, ts, data }) => [
    id,
    JSON.stringify({ final, ts: String(ts), data }),
  ]);
  if (JSON.stringify(kept) === JSON.stringify([...followed.state])) return null;
  return `the client has another state of ${kept.length} objects`;
}

/** Takes a message in as the rules of the interface say. */
export function hear(
  followed: Followed,
  message: Extract<ServerMessage, { readonly sub?: string }>,
  serviceMs: number,
  complain: (problem: string) => void,
): void {
  switch (message.t) {
    case 'subscribed':
      if (followed.phase === 'asked') followed.phase = 'accepted';
      return;
    case 'reset':
      followed.resets += 1;
      followed.resetsSinceAsked += 1;
      if (message.reason !== 'cursor_expired') complain(`reset ${message.reason}`);
      if (followed.resetsSinceAsked > 1) complain('a second reset of one cursor');
      if (followed.isGood) complain('a reset of a cursor that is good');
      followed.state.clear();
      followed.cursor = null;
      followed.base = null;
      followed.phase = 'reset';
      return;
    case 'snapshot': {
      const mayCome = followed.phase === 'reset' || followed.base === null;
      if (!mayCome || followed.phase === 'asked') complain(`a snapshot while ${followed.phase}`);
      followed.state.clear();
      for (const { id, final, ts, data } of message.items) {
        followed.state.set(id, JSON.stringify({ final, ts, data }));
      }
      followed.base = { cursor: message.cursor, items: new Map(followed.state) };
      followed.cursor = message.cursor;
      followed.notBeforeMs = serviceMs - SNAPSHOT_LAG_MS;
      followed.notAfterMs = serviceMs;
      followed.applied = 0;
      followed.phase = 'following';
      return;
    }
    case 'upsert':
    case 'remove':
      followed.notAfterMs = serviceMs;
      update(followed, message, complain);
      return;
    case 'hb':
      if (followed.phase === 'accepted' && followed.base !== null) {
        followed.phase = 'following';
      }
      if (followed.cursor === null || message.cursor === undefined) return;
      followed.notAfterMs = serviceMs;
      if (compare(message.cursor, followed.cursor) > 0) followed.cursor = message.cursor;
      return;
    default:
  }
}

function update(
  followed: Followed,
  message: Extract<ServerMessage, { readonly t: 'upsert' | 'remove' }>,
  complain: (problem: string) => void,
): void {
  if (followed.base === null || followed.phase === 'asked' || followed.phase === 'reset') {
    complain(`an update while ${followed.phase}`);
    return;
  }
  followed.phase = 'following';
  if (compare(message.cursor, followed.cursor!) <= 0) {
    followed.ignored += 1;
    return;
  }
  followed.cursor = message.cursor;
  followed.applied += 1;
  const { id, final, ts } = message;
  // An object's time is that of its first trade, so not after the trade that made this message.
  followed.notBeforeMs = Math.max(followed.notBeforeMs, msOf(ts));
  if (message.t === 'upsert') {
    followed.state.set(id, JSON.stringify({ final, ts, data: message.data }));
  } else followed.state.delete(id);
}

export function msOf(ts: string): number {
  return Number(BigInt(ts) / 1_000_000n);
}

function compare(a: string, b: string): number {
  return compareCursors(parseCursor(a)!, parseCursor(b)!);
}
