/**
 * Follows the messages of one subscription by the rules of the interface, beside the client
 * library. A `snapshot` replaces the state, a `reset` clears it. An update at or before the last
 * cursor is counted, not applied; an `hb` only raises the cursor. Violations are reported at once.
 */

import type { SubscriptionState } from '@tapeloom/client/stream';
import { compareCursors, parseCursor } from '@tapeloom/core/cursor';
import type { GivenParams } from '@tapeloom/core/studies/indicator';
import type { StreamMode } from '@tapeloom/protocol/client-messages';
import type { ServerMessage } from '@tapeloom/protocol/server-messages';

/** The most that a snapshot may be behind the service's time. */
const SNAPSHOT_LAG_MS = 180_000;

export interface ResumeStream {
  readonly instrument: string;
  readonly indicator: string;
  readonly params: GivenParams;
  readonly mode: StreamMode;
  /** Publishes so often that an old cursor is certainly beyond the ring. */
  readonly isBusy: boolean;
}

/** The state of one subscription and its history. */
export interface Followed {
  readonly stream: ResumeStream;
  /** Objects as text, by id. */
  readonly state: Map<string, string>;
  cursor: string | null;
  /** Bounds of the cursor's time on the tape, in the service's time. */
  notBeforeMs: number;
  notAfterMs: number;
  /** The snapshot that the state began with. */
  base: { readonly cursor: string; readonly items: ReadonlyMap<string, string> } | null;
  /** The number of updates applied since. */
  applied: number;
  /** Updates at or before the last cursor. */
  ignored: number;
  resumes: number;
  resets: number;
  /** Resumes from expired cursors, and from cursors as old that history covers. */
  expired: number;
  covered: number;
  /** The progress since the last `subscribe`. */
  phase: 'asked' | 'accepted' | 'reset' | 'following';
  resetsSinceAsked: number;
  /** Whether a reset is an error. Without a later update, even an old cursor may be resumed. */
  isGood: boolean;
  /** The cursor of an `hb` after the last cut, at which the state may be compared. */
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

/** How the client's state differs from the followed one; null when it does not. */
export function clientsState(followed: Followed, state: SubscriptionState<string>): string | null {
  if (state.cursor !== followed.cursor) return `the client's cursor is ${state.cursor}`;
  const kept = Array.from(state.objects.values(), ({ id, final, ts, data }) => [
    id,
    JSON.stringify({ final, ts: String(ts), data }),
  ]);
  if (JSON.stringify(kept) === JSON.stringify([...followed.state])) return null;
  return `the client has another state of ${kept.length} objects`;
}

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
  // An object's time is that of its first trade, so it is not after the trade of this message.
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
