/** Records an owed mail; see `mails-store.ts`. */

import type { EpochNs } from '@tapeloom/core/numbers';
import type { Sql } from '../store/sql-database.ts';
import type { NewMail } from './mails-store.ts';

export async function owe(
  sql: Sql,
  now: EpochNs,
  { id, kind, reader, orderId, details }: NewMail,
): Promise<void> {
  await sql
    .insertInto('mails')
    .values({
      id,
      kind,
      reader,
      order_id: orderId,
      details: JSON.stringify(details),
      created_at: now,
      try_at: now,
      tries: 0,
    })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute();
}
