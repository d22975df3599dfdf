/** What the venue's answers say of its limits, and whether a page weighs what is assumed. */

import type { Venue } from '../feed.ts';
import { type DoctorFinding, found } from './finding.ts';
import type { RecordedRequest } from './recording-network.ts';

const USED_WARNING = 0.5;

/** `pages`: consecutive requests of past trades. */
export function judgeLimits(
  { limits, usedUnits }: Pick<Venue, 'limits' | 'usedUnits'>,
  answered: readonly RecordedRequest[],
  pages: readonly RecordedRequest[],
): readonly DoctorFinding[] {
  return [judgeRequests(answered), judgeUsed({ limits, usedUnits }, pages)];
}

function judgeRequests(answered: readonly RecordedRequest[]): DoctorFinding {
  const check = 'requests';
  if (answered.length === 0) return found(check, 'skipped', 'none was answered');
  const statuses = [...Map.groupBy(answered, ({ answer }) => answer.status)];
  const told = statuses.map(([status, all]) => `${all.length} with ${status}`).join(', ');
  const slowest = Math.max(...answered.map(({ ms }) => ms));
  const isWell = statuses.every(([status]) => status === 200);
  return found(check, isWell ? 'ok' : 'failed', `${told}; the slowest took ${slowest} ms`);
}

function judgeUsed(
  {
    limits,
    usedUnits,
  }: { readonly limits: Venue['limits']; readonly usedUnits: Venue['usedUnits'] },
  pages: readonly RecordedRequest[],
): DoctorFinding {
  const check = 'limits in headers';
  const { units, perMs } = limits.requests;
  const used = pages.flatMap(({ answer }) => usedUnits?.(answer) ?? []);
  const last = used.at(-1);
  if (last === undefined)
    return found(check, 'skipped', 'no response says how much of the limit is used');
  const steps = used.slice(1).map((value, row) => value - used[row]!);
  // A new window begins anew, which makes the step negative.
  const weights = steps.filter((step) => step > 0);
  const weight = weights.length === 0 ? null : Math.min(...weights);
  const told = `${last} of ${units} in ${perMs / 1_000} s used; a page weighs ${weight ?? 'an unknown amount'}, assumed: ${limits.pageWeight}`;
  const isHeavier = weight !== null && weight > limits.pageWeight;
  return found(check, isHeavier || last > units * USED_WARNING ? 'warning' : 'ok', told);
}
