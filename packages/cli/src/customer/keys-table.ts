/** A customer's keys as a table; of a secret its kind and last four characters are known. */

import type { KeyRecord, NewKey } from '@tapeloom/client';
import type { EpochNs } from '@tapeloom/core/numbers';
import { timeText } from '../accounts/time-text.ts';
import { tableText } from '../table-text.ts';

export function keysTable(keys: readonly KeyRecord[]): string {
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
      key.state,
      key.scopes.join(','),
      [...(key.instruments ?? []), ...(key.allowedIps ?? [])].join(',') || '-',
      nsText(key.expiresAt),
      nsText(key.lastUsedAt),
    ]),
  );
}

export function nsText(ns: string | null | undefined): string {
  return ns === null || ns === undefined ? '-' : timeText(BigInt(ns) as EpochNs);
}

/** A key that was made just now, with the secret that is shown this once. */
export function newKeyText(key: NewKey): string {
  const expires = key.expiresAt === undefined ? '' : `, until ${nsText(key.expiresAt)}`;
  const what = `Key ${key.id} "${key.name}", ${key.environment}, for ${key.scopes.join(', ')}${expires}`;
  if (key.key === undefined) return `${what} was made before; its secret is not shown again.\n`;
  return `${what}:\n\n  ${key.key}\n\nKeep it now: it is not shown again.\n`;
}
