/** The note on a tape that says which days before its beginning are wanted from the venue. */

import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import type { Intake } from '../../../tape/write/intake.ts';
import type { TapeNote } from '../../../tape/write/tape-note.ts';

const PAST_KEY = 'past';

export interface WantedPast {
  readonly from: EpochNs;
  /** The first day that went through the log. */
  readonly until: UtcDay;
}

export function pastNote({ from, until }: WantedPast): TapeNote {
  return { kind: 'position', key: PAST_KEY, text: `${from} ${until}` };
}

/** Null: the tape began without a past. */
export function notedPast(intake: Pick<Intake, 'position'>): WantedPast | null {
  const [from, until] = intake.position(PAST_KEY)?.split(' ') ?? [];
  if (from === undefined) return null;
  return { from: BigInt(from) as EpochNs, until: Number(until) as UtcDay };
}
