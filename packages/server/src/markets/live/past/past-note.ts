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

/**
 * Whether nothing is on the tape yet. A process that ends before the first record of the first log leaves a watermark:
 * the midnight of that log.
 */
export function isBlank(
  intake: Pick<Intake, 'promise' | 'gaps' | 'position' | 'lastId'>,
  symbols: readonly string[],
): boolean {
  if (intake.promise === null) return true;
  const isKnown = (symbol: string) =>
    intake.lastId(symbol) >= 0 || intake.position(lineKey(symbol)) !== null;
  return intake.gaps.length === 0 && notedPast(intake) === null && !symbols.some(isKnown);
}

/** Of the note with the place from which a contract resumes. */
export function lineKey(symbol: string): string {
  return `line:${symbol}`;
}

/** Null: the tape began without a past. */
export function notedPast(intake: Pick<Intake, 'position'>): WantedPast | null {
  const [from, until] = intake.position(PAST_KEY)?.split(' ') ?? [];
  if (from === undefined) return null;
  return { from: BigInt(from) as EpochNs, until: Number(until) as UtcDay };
}
