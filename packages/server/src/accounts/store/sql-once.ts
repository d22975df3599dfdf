/**
 * Results of requests with an idempotency key. Writers lock the account's row, so a concurrent repetition finds the
 * result.
 */

import type { EpochNs } from '@tapeloom/core/numbers';
import {
  type Done,
  type OnceRefused,
  type OnceRequest,
  PAGE_REQUEST,
  REMEMBERED_MAX,
} from './once.ts';
import { removed, type Sql } from './sql-database.ts';

/** Why a request must not be done; null: it may. */
export async function judgeOnce(
  sql: Sql,
  now: EpochNs,
  { accountId, keyId, once }: Pick<Done, 'accountId' | 'keyId' | 'once'>,
): Promise<OnceRefused | null> {
  const before = await find(sql, now, keyId, once);
  if (before !== undefined) {
    const { request, answer } = before;
    return request === once.request
      ? { refused: 'done-before', answer }
      : { refused: 'another-request' };
  }
  if (once.request.startsWith(PAGE_REQUEST)) return null;
  const remembered = await sql
    .selectFrom('idempotent_requests')
    .select((eb) => [eb.fn.countAll<bigint>().as('count'), eb.fn.min('expires_at').as('first')])
    .where('account_id', '=', accountId)
    .where('expires_at', '>', now)
    .where('request', 'not like', `${PAGE_REQUEST}%`)
    .executeTakeFirstOrThrow();
  if (Number(remembered.count) < REMEMBERED_MAX) return null;
  return { refused: 'too-many-remembered', until: remembered.first as EpochNs };
}

/** An expired idempotency key may be used again before its record is removed. */
export async function remember(sql: Sql, done: Done): Promise<void> {
  const { accountId, keyId, once, answer, expiresAt } = done;
  const row = { account_id: accountId, request: once.request, answer, expires_at: expiresAt };
  await sql
    .insertInto('idempotent_requests')
    .values({ ...row, key_id: keyId, idempotency_key: once.idempotencyKey })
    .onConflict((conflict) => conflict.columns(['key_id', 'idempotency_key']).doUpdateSet(row))
    .execute();
}

/** Removes some expired records and returns how many. */
export async function forgetDone(sql: Sql, now: EpochNs, limit: number): Promise<number> {
  const over = sql
    .selectFrom('idempotent_requests')
    .select(['key_id', 'idempotency_key'])
    .where('expires_at', '<=', now)
    .limit(limit);
  return removed(
    await sql
      .deleteFrom('idempotent_requests')
      .where((eb) =>
        eb(
          eb.refTuple('key_id', 'idempotency_key'),
          'in',
          over.$asTuple('key_id', 'idempotency_key'),
        ),
      )
      .execute(),
  );
}

function find(sql: Sql, now: EpochNs, keyId: string, { idempotencyKey }: OnceRequest) {
  return sql
    .selectFrom('idempotent_requests')
    .select(['request', 'answer'])
    .where('key_id', '=', keyId)
    .where('idempotency_key', '=', idempotencyKey)
    .where('expires_at', '>', now)
    .executeTakeFirst();
}
