/**
 * Whether one key may manage (create, rotate, revoke) another: only a key with no more rights than its own, by each of
 * five criteria. Instrument entries are compared as text, since an alias and a contract may stop meaning the same.
 * Address ranges are compared as numbers: each must lie within a single range of the manager.
 */

import { includes, parseIpRange } from './ip-range.ts';
import type { KeyRights } from './key-rights.ts';

const MANAGEMENT_CRITERIA = [
  'environment',
  'scopes',
  'instruments',
  'allowedIps',
  'expiresAt',
] as const;
export type ManagementCriterion = (typeof MANAGEMENT_CRITERIA)[number];

/** The first criterion by which the target has more rights than the manager; null if there is none. */
export function unmetCriterion(manager: KeyRights, target: KeyRights): ManagementCriterion | null {
  return MANAGEMENT_CRITERIA.find((criterion) => !MEETS[criterion](manager, target)) ?? null;
}

const MEETS: Readonly<
  Record<ManagementCriterion, (manager: KeyRights, target: KeyRights) => boolean>
> = {
  environment: (manager, target) => manager.environment === target.environment,
  scopes: (manager, target) => target.scopes.every((scope) => manager.scopes.includes(scope)),
  instruments: ({ instruments: own }, { instruments: wanted }) =>
    own === null || (wanted?.every((entry) => own.includes(entry)) ?? false),
  allowedIps: ({ allowedIps: own }, { allowedIps: wanted }) =>
    own === null || (wanted !== null && areWithin(wanted, own)),
  expiresAt: ({ expiresAt: own }, { expiresAt: wanted }) =>
    own === null || (wanted !== null && wanted <= own),
};

/** A text that is no range contains nothing and lies in nothing. */
function areWithin(inner: readonly string[], outer: readonly string[]): boolean {
  const own = outer.map(parseIpRange).filter((range) => range !== null);
  return inner.map(parseIpRange).every((range) => {
    return range !== null && own.some((mine) => includes(mine, range));
  });
}
