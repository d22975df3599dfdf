/**
 * Brings a database to the newest schema, one transaction per migration: whatever interrupts it, the
 * database has one version or the next, never something between. A database that a newer program has
 * used is refused and left as it is.
 */

import type { Kysely } from 'kysely';
import { accounts } from './0001-accounts.ts';
import { useByKey } from './0002-use-by-key.ts';
import { idempotentRequests } from './0003-idempotent-requests.ts';
import { listsWithAnEnd } from './0004-lists-with-an-end.ts';
import { portal } from './0005-portal.ts';
import { selling } from './0006-selling.ts';
import { fencedPayments } from './0007-fenced-payments.ts';
import { mailsAndApprovals } from './0008-mails-and-approvals.ts';
import type { Migration, SchemaDialect } from './migration.ts';

export const MIGRATIONS: readonly Migration[] = [
  accounts,
  useByKey,
  idempotentRequests,
  listsWithAnEnd,
  portal,
  selling,
  fencedPayments,
  mailsAndApprovals,
];
export const SCHEMA_VERSION = MIGRATIONS.length;

interface VersionSchema {
  schema_version: { version: bigint };
}

export class SchemaTooNewError extends Error {
  constructor(found: number) {
    super(
      `the accounts database has schema version ${found}, and this program knows versions up to ` +
        `${SCHEMA_VERSION}: it was used by a newer Tapeloom, run that one`,
    );
  }
}

/** `upTo` is for tests, which make databases as earlier programs left them. */
export async function migrate(
  database: Kysely<unknown>,
  dialect: SchemaDialect,
  upTo = SCHEMA_VERSION,
): Promise<void> {
  await database.schema
    .createTable('schema_version')
    .ifNotExists()
    .addColumn('version', 'bigint', (column) => column.primaryKey())
    .execute();
  const found = await schemaVersion(database);
  if (found > SCHEMA_VERSION) throw new SchemaTooNewError(found);
  for (const migration of MIGRATIONS.slice(found, upTo)) {
    await database.transaction().execute(async (transaction) => {
      // Another process may have come here first while this one waited for its turn to write.
      if ((await schemaVersion(transaction)) >= migration.version) return;
      await migration.up(transaction, dialect);
      await versions(transaction)
        .insertInto('schema_version')
        .values({ version: BigInt(migration.version) })
        .execute();
    });
  }
}

async function schemaVersion(database: Kysely<unknown>): Promise<number> {
  const row = await versions(database)
    .selectFrom('schema_version')
    .select((eb) => eb.fn.max('version').as('newest'))
    .executeTakeFirst();
  return Number(row?.newest ?? 0);
}

function versions(database: Kysely<unknown>): Kysely<VersionSchema> {
  return database as Kysely<VersionSchema>;
}
