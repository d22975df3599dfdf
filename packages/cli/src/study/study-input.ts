/** What a study runs over: trades, and all that is known of their instrument. */

import type { SessionBook } from '@tapeloom/core/calendar/session-book';
import type { EpochNs } from '@tapeloom/core/numbers';
import type { Tape } from '@tapeloom/server/tape/tape';

export interface StudyInput {
  /** For sentences. */
  readonly kind: 'tape' | 'file';
  readonly tape: Tape;
  readonly symbol: string;
  readonly tickSizeNanos: number;
  readonly book: SessionBook;
  readonly from: EpochNs;
  readonly to: EpochNs;
}
