/** The port to the tape of a member's dataset, which another thread of this process writes or copies. */

import type { EpochNs } from '@tapeloom/core/numbers';
import type { LiveDays } from '../../tape/read/tape-reader.ts';
import type { Tape } from '../../tape/tape.ts';

export interface MemberTape extends Pick<Tape, 'read' | 'days'>, LiveDays {
  /** The durable watermark; null on an empty tape. */
  readonly promise: EpochNs | null;
}
