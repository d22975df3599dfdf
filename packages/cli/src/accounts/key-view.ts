/** Renders keys as text and as JSON, never with the secret. */

import { keyStateAt } from '@tapeloom/core/entitlement/key-rights';
import type { EpochNs } from '@tapeloom/core/numbers';
import type { KeyRecord } from '@tapeloom/server/accounts/keys/keys-store';
import { keysTable as shownKeysTable } from '../keys-table.ts';
import { timeJson } from './time-text.ts';

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
  return shownKeysTable(keys.map((key) => ({ ...key, state: keyStateAt(key, now) })));
}
