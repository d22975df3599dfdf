/**
 * The state of a stream as customers see it, judged from facts alone: rejected | warming → live ⇄ closed, stale, down →
 * ended. `closed` follows the contract's full trading day. In an open market, `down`: its feed has been silent for long;
 * `stale`: the tape's watermark lags the clock by more than it ever should, or the tape lies ahead of a clock that was
 * set back.
 */

import type { SessionTable } from '@tapeloom/core/calendar/session';
import type { EpochNs } from '@tapeloom/core/numbers';
import { MS_NS_BIG } from '@tapeloom/core/units';
import type { StreamState } from '@tapeloom/protocol/status-states';

export interface StreamFacts {
  /** The tape time this stream is entitled to now: the clock less the topic's delay. */
  readonly now: EpochNs;
  readonly sourceUp: boolean;
  /** Whether the feed of its trades is cut off, or has been silent for long. */
  readonly isFeedDown?: boolean;
  /** Whether the study has caught up with the tape and its look-back is complete. */
  readonly warm: boolean;
  /** The tape's watermark (`promise`) less the topic's delay; null on an empty tape. */
  readonly promise: EpochNs | null;
  readonly fullSessions: SessionTable;
  readonly staleAfterMs: number;
  /** Whether the tape lies ahead of the machine's clock, so that its times cannot be right. */
  readonly isAhead?: boolean;
}

export function judgeStream(facts: StreamFacts): StreamState {
  if (!facts.sourceUp) return 'down';
  if (!facts.warm) return 'warming';
  const session = facts.fullSessions.atOrBefore(facts.now);
  if (session === null || session.close <= facts.now) return 'closed';
  if (facts.isFeedDown === true) return 'down';
  if (facts.promise === null || facts.isAhead === true) return 'stale';
  const silentNs = facts.now - facts.promise;
  return silentNs > BigInt(facts.staleAfterMs) * MS_NS_BIG ? 'stale' : 'live';
}
