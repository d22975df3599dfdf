/** PostgreSQL's schema statements, and the notifications by which nodes learn of each other's changes. */

import { type Kysely, sql } from 'kysely';
import type { SchemaDialect } from '../migrations/migration.ts';

/** The channel that is notified of every write to the audit log. */
export const NEWS_CHANNEL = 'tapeloom_audit';

/** Lock numbers are shared by all programs of a database: the first number is ours, the second is the purpose. */
const LOCKS = 0x7a9e;
export const MIGRATION_LOCK = sql.raw(`${LOCKS}, 1`);
export const SWEEP_LOCK = sql.raw(`${LOCKS}, 2`);
const AUDIT_LOCK = `${LOCKS}, 3`;

export const postgresSchema: SchemaDialect = {
  sequenceType: 'bigserial',
  sequence: (column) => column.primaryKey(),
  async forbidChanges(database, table) {
    const why = `${table} can only grow`;
    for (const change of ['update', 'delete']) {
      const name = `${table}_refuses_${change}`;
      await postgresSchema.refuse(database, { name, table, change, why });
    }
  },
  async refuse(database, { name, table, change, when = 'true', why }) {
    const body = `begin
      if ${when} then raise exception '%', ${quoted(why)}; end if;
      if tg_op = 'DELETE' then return old; end if;
      return new;
    end`;
    await makeFunction(database, name, 'trigger', body);
    await sql`create trigger ${sql.id(name)} before ${sql.raw(change)} on ${sql.id(table)}
      for each row execute function ${sql.id(name)}()`.execute(database);
  },
  async dropTrigger(database, table, name) {
    await sql`drop trigger ${sql.id(name)} on ${sql.id(table)}`.execute(database);
    await sql`drop function ${sql.id(name)}()`.execute(database);
  },
};

/**
 * Sequence numbers are assigned before the commit: a reader that has seen 7 would never look for a 6 committed later.
 * So a writer of the audit log waits until earlier writers are done. The lock is taken before the number is assigned,
 * for which a row trigger would be too late, and is held until the commit. The trigger also notifies the other nodes.
 */
export async function makeAuditFeed(database: Kysely<unknown>): Promise<void> {
  const name = 'audit_log_in_order';
  const body = `begin
    perform pg_advisory_xact_lock(${AUDIT_LOCK});
    perform pg_notify('${NEWS_CHANNEL}', '');
    return null;
  end`;
  await makeFunction(database, name, 'trigger', body);
  await sql`create or replace trigger ${sql.id(name)} before insert on audit_log
    for each statement execute function ${sql.id(name)}()`.execute(database);
}

/** `signature`: its arguments, if it has any. */
export async function makeFunction(
  database: Kysely<unknown>,
  name: string,
  returns: string,
  body: string,
  signature = '',
): Promise<void> {
  await sql`create or replace function ${sql.id(name)}(${sql.raw(signature)})
    returns ${sql.raw(returns)} language plpgsql as ${sql.raw(`$body$${body}$body$`)}`.execute(
    database,
  );
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
