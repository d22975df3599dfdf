/** Consents of buyers. Consents and their texts are added and read, never changed. */

import { createHash } from 'node:crypto';
import type { EpochNs } from '@tapeloom/core/numbers';
import type { Sql } from '../store/sql-database.ts';
import type { Consent, ConsentRecord, OrderRecord } from './orders-store.ts';

/** Returns the digest of the text. */
export async function recordConsent(
  sql: Sql,
  order: OrderRecord,
  consent: Consent,
): Promise<string> {
  const sha256 = createHash('sha256').update(consent.text).digest('hex');
  await sql
    .insertInto('waiver_texts')
    .values({ sha256, text: consent.text })
    .onConflict((conflict) => conflict.column('sha256').doNothing())
    .execute();
  await sql
    .insertInto('consents')
    .values({
      order_id: order.id,
      account_id: order.accountId,
      waiver_version: order.waiverVersion,
      text_sha256: sha256,
      at: order.createdAt,
      address: consent.address,
    })
    .execute();
  return sha256;
}

export async function readConsents(
  sql: Sql,
  by: 'account_id' | 'order_id',
  id: string,
): Promise<readonly ConsentRecord[]> {
  const rows = await sql
    .selectFrom('consents')
    .innerJoin('waiver_texts', 'waiver_texts.sha256', 'consents.text_sha256')
    .selectAll('consents')
    .select('waiver_texts.text')
    .where(`consents.${by}`, '=', id)
    .orderBy('consents.at')
    .orderBy('consents.order_id')
    .execute();
  return rows.map((row) => ({
    orderId: row.order_id,
    accountId: row.account_id,
    waiverVersion: row.waiver_version,
    textSha256: row.text_sha256,
    text: row.text,
    at: row.at as EpochNs,
    address: row.address,
  }));
}
