/**
 * Adds a key while the account has fewer than ten valid ones: counting and adding are one statement, so
 * that there is no moment between them.
 */

import type { EpochNs } from '@tapeloom/core/numbers';
import { type RawBuilder, sql as raw } from 'kysely';
import type { KeyRow } from './account-schema.ts';
import { VALID_KEYS_MAX } from './account-store.ts';
import type { Sql } from './sql-database.ts';

/**
 * Undefined when the limit is reached. `ending` names a key that ends in the same transaction and does
 * not count any more. Values carry their types, since a bare parameter in a SELECT has none.
 */
export function insertKeyWithinLimit(
  sql: Sql,
  now: EpochNs,
  row: KeyRow,
  ending: string | null = null,
): Promise<KeyRow | undefined> {
  return sql
    .insertInto('keys')
    .columns([
      'id',
      'account_id',
      'hash',
      'hint',
      'name',
      'environment',
      'scopes',
      'instruments',
      'allowed_ips',
      'created_at',
      'expires_at',
    ])
    .expression((eb) => {
      const values = [
        ...[row.id, row.account_id, row.hash, row.hint, row.name, row.environment].map(text),
        ...[row.scopes, row.instruments, row.allowed_ips].map(text),
        ...[row.created_at, row.expires_at].map(whole),
      ];
      let valid = eb
        .selectFrom('keys')
        .select((count) => count.fn.countAll().as('count'))
        .where('account_id', '=', row.account_id)
        .where('revoked_at', 'is', null)
        .where((key) => key.or([key('expires_at', 'is', null), key('expires_at', '>', now)]));
      if (ending !== null) valid = valid.where('id', '!=', ending);
      return sql
        .selectNoFrom(values.map((value, index) => value.as(`v${index}`)))
        .where((limit) => limit(valid, '<', VALID_KEYS_MAX));
    })
    .returningAll()
    .executeTakeFirst();
}

function text(value: string | null): RawBuilder<unknown> {
  return raw`cast(${value} as text)`;
}

function whole(value: bigint | null): RawBuilder<unknown> {
  return raw`cast(${value} as bigint)`;
}
