/** Converts rows of the store to the records of the port: named fields, lists instead of text, no digests. */

import type { Scope } from '@tapeloom/core/entitlement/key-rights';
import type { Grant } from '@tapeloom/core/entitlement/plan';
import type { EpochNs } from '@tapeloom/core/numbers';
import type { AccountRow, KeyRow } from './key-tables.ts';
import type { AccountRecord, KeyRecord } from './keys-store.ts';

export function accountOf(row: AccountRow, grants: readonly Grant[]): AccountRecord {
  return {
    id: row.id,
    name: row.name,
    createdAt: instant(row.created_at),
    suspendedAt: instantOrNull(row.suspended_at),
    grants,
  };
}

export function grantOf(row: {
  readonly plan: Grant['plan'];
  readonly until: bigint | null;
}): Grant {
  return { plan: row.plan, until: instantOrNull(row.until) };
}

export function keyOf(row: KeyRow): KeyRecord {
  return {
    id: row.id,
    accountId: row.account_id,
    name: row.name,
    environment: row.environment,
    scopes: JSON.parse(row.scopes) as Scope[],
    instruments: listOrNull(row.instruments),
    allowedIps: listOrNull(row.allowed_ips),
    createdAt: instant(row.created_at),
    expiresAt: instantOrNull(row.expires_at),
    lastUsedAt: instantOrNull(row.last_used_at),
    revokedAt: instantOrNull(row.revoked_at),
    rotatedTo: row.rotated_to,
    hint: row.hint,
  };
}

function instant(value: bigint): EpochNs {
  return value as EpochNs;
}

function instantOrNull(value: bigint | null): EpochNs | null {
  return value as EpochNs | null;
}

function listOrNull(text: string | null): readonly string[] | null {
  return text === null ? null : (JSON.parse(text) as string[]);
}
