/** Keys as people and as programs read them; the secret is no part of either. */

import { keyStateAt } from '@tapeloom/core/entitlement/key-rights';
import type { EpochNs } from '@tapeloom/core/numbers';
import type { KeyRecord } from '@tapeloom/server/accounts/account-store';
import { tableText } from '../table-text.ts';
import { timeJson, timeText } from './time-text.ts';

export function keyJson(key: KeyRecord, now: EpochNs): Record<string, unknown> {
  const { id, accountId, name, environment, scopes, instruments, allowedIps, hint } = key;
  return {
    id,
    accountId,
    name,
    environment,
    scopes,
    instruments,
    allowedIps,
    expiresAt: timeJson(key.expiresAt),
    state: keyStateAt(key, now),
    createdAt: timeJson(key.createdAt),
    lastUsedAt: timeJson(key.lastUsedAt),
    revokedAt: timeJson(key.revokedAt),
    rotatedTo: key.rotatedTo,
    hint,
  };
}

export function keysTable(keys: readonly KeyRecord[], now: EpochNs): string {
  return tableText(
    [
      { title: 'id' },
      { title: 'name' },
      { title: 'key' },
      { title: 'state' },
      { title: 'scopes' },
      { title: 'restricted to' },
      { title: 'expires' },
      { title: 'last used' },
    ],
    keys.map((key) => [
      key.id,
      key.name,
      `svc_${key.environment}_…${key.hint}`,
      keyStateAt(key, now),
      key.scopes.join(','),
      restrictionText(key),
      key.expiresAt === null ? '-' : timeText(key.expiresAt),
      key.lastUsedAt === null ? '-' : timeText(key.lastUsedAt),
    ]),
  );
}

function restrictionText({ instruments, allowedIps }: KeyRecord): string {
  return [...(instruments ?? []), ...(allowedIps ?? [])].join(',') || '-';
}
