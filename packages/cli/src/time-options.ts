/** Reads instants from the command line: dates, times, nanoseconds. */

import { instantFault, parseInstant } from '@tapeloom/core/instant-text';
import type { EpochNs } from '@tapeloom/core/numbers';
import { UsageError } from './command.ts';

export function readInstant(option: string, text: string | undefined): EpochNs {
  if (text === undefined) throw new UsageError(`${option} is missing`);
  const instant = parseInstant(text);
  if (instant !== null) return instant;
  if (/^\d+$/.test(text)) throw new UsageError(`${option} ${instantFault(text)}`);
  throw new UsageError(
    `${option} must be a date like 2026-09-01 (its midnight UTC), a time like ` +
      `2026-09-01T13:30:00Z or nanoseconds since 1970; got ${text}`,
  );
}

export function requireRange(from: EpochNs, to: EpochNs): void {
  if (from < to) return;
  throw new UsageError(
    '--to must be after --from. A date means its midnight UTC, so a whole day ends at the next date',
  );
}
