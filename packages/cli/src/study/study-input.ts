/** The input of a study: trades, and everything known about their instrument. */

import type { SessionBook } from '@tapeloom/core/calendar/session-book';
import type { EpochNs } from '@tapeloom/core/numbers';
import type { Tape } from '@tapeloom/server/tape/tape';

export interface StudyInput {
  /** For messages. */
  readonly kind: 'tape' | 'file';
  readonly tape: Tape;
  readonly symbol: string;
  readonly tickSizeNanos: number;
  readonly book: SessionBook;
  readonly from: EpochNs;
  readonly to: EpochNs;
}
