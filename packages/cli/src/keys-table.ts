/** Keys as a table, for operators and customers. Of a secret, only its kind and last four characters are known. */

import type { EpochNs } from '@tapeloom/core/numbers';
import { timeText } from './accounts/time-text.ts';
import { tableText } from './table-text.ts';

/** From the account store or the service; times are nanoseconds since 1970. */
interface ShownKey {
  readonly id: string;
  readonly name: string;
  readonly environment: string;
  readonly hint: string;
  readonly state: string;
  readonly scopes: readonly string[];
  readonly instruments?: readonly string[] | null;
  readonly allowedIps?: readonly string[] | null;
  readonly expiresAt?: string | bigint | null;
  readonly lastUsedAt?: string | bigint | null;
}

export function keysTable(keys: readonly ShownKey[]): string {
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

/** A time, or a dash for none. */
export function nsText(ns: string | bigint | null | undefined): string {
  return ns === null || ns === undefined ? '-' : timeText(BigInt(ns) as EpochNs);
}
