/** Owed mails over a SQL database; see `mails-store.ts`. */

import type { EpochNs } from '@tapeloom/core/numbers';
import { HOUR_NS_BIG } from '@tapeloom/core/units';
import type { MailRow } from '../store/account-schema.ts';
import type { Sql } from '../store/sql-database.ts';
import type { SqlStore } from '../store/sql-store.ts';
import type { MailsStore, OwedMail } from './mails-store.ts';
import { owe } from './sql-owe.ts';

/** Longer than any wait: a later time comes from a clock that was ahead. */
const PUT_OFF_MAX_NS = HOUR_NS_BIG;

export function sqlMails(store: SqlStore): MailsStore {
  return {
    oweMail: store.changes(owe),
    waitingMails: store.reads(async (sql, now) => {
      const { count } = await sql
        .selectFrom('mails')
        .select((eb) => eb.fn.countAll().as('count'))
        .executeTakeFirstOrThrow();
      const due = await dueIds(sql, now).execute();
      return { count: Number(count), due: due.length };
    }),
    takeMails: store.changes(async (sql, now, until, limit) => {
      const ids = (
        await dueIds(sql, now).orderBy('tries').orderBy('created_at').limit(limit).execute()
      ).map(({ id }) => id);
      const taken: OwedMail[] = [];
      for (const id of ids) {
        const row = await sql
          .updateTable('mails')
          .set({ try_at: until })
          .where('id', '=', id)
          // Another node may have taken it since it was found.
          .where((eb) => eb.or([eb('try_at', '<=', now), eb('try_at', '>', now + PUT_OFF_MAX_NS)]))
          .returningAll()
          .executeTakeFirst();
        if (row !== undefined) taken.push(mailOf(row));
      }
      return taken;
    }),
    mailSent: store.changes(async (sql, now, mail) => {
      await noteSent(sql, now, mail);
      await remove(sql, mail);
    }),
    putMailOff: store.changes(async (sql, { id, takenUntil }, tryAt) => {
      await sql
        .updateTable('mails')
        .set((eb) => ({ try_at: tryAt, tries: eb('tries', '+', 1n) }))
        .where('id', '=', id)
        .where('try_at', '=', takenUntil)
        .execute();
    }),
    giveMailUp: store.changes(remove),
  };
}

function dueIds(sql: Sql, now: EpochNs) {
  return sql
    .selectFrom('mails')
    .select('id')
    .where((eb) => eb.or([eb('try_at', '<=', now), eb('try_at', '>', now + PUT_OFF_MAX_NS)]));
}

async function noteSent(sql: Sql, now: EpochNs, { kind, orderId }: OwedMail): Promise<void> {
  if (orderId === null) return;
  if (kind === 'order-confirmed') {
    await sql
      .updateTable('orders')
      .set({ confirmed_at: now })
      .where('id', '=', orderId)
      .where('confirmed_at', 'is', null)
      .execute();
  }
  if (kind === 'withdrawal-received') {
    await sql
      .updateTable('withdrawals')
      .set({ told_at: now })
      .where('order_id', '=', orderId)
      .where('told_at', 'is', null)
      .execute();
  }
}

async function remove(sql: Sql, { id }: OwedMail): Promise<void> {
  await sql.deleteFrom('mails').where('id', '=', id).execute();
}

function mailOf(row: MailRow): OwedMail {
  return {
    id: row.id,
    kind: row.kind,
    reader: row.reader,
    orderId: row.order_id,
    details: JSON.parse(row.details) as OwedMail['details'],
    createdAt: row.created_at as EpochNs,
    tries: Number(row.tries),
    takenUntil: row.try_at as EpochNs,
  };
}
