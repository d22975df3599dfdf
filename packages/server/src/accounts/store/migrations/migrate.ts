/**
 * Upgrades a database to the newest schema, one transaction per migration. If it is interrupted, the database has one
 * version or the next, never something between. A database of a newer program is rejected and left unchanged.
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
import { accountMarks } from './0009-account-marks.ts';
import { usageMails } from './0010-usage-mails.ts';
import { billTo } from './0011-bill-to.ts';
import { statusSpans } from './0012-status-spans.ts';
import { passkeys } from './0013-passkeys.ts';
import { layouts } from './0014-layouts.ts';
import { requestsOfSessions } from './0015-requests-of-sessions.ts';
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
  accountMarks,
  usageMails,
  billTo,
  statusSpans,
  passkeys,
  layouts,
  requestsOfSessions,
];
export const SCHEMA_VERSION = MIGRATIONS.length;

/** Tables that every schema version has. */
const MARKS: readonly string[] = ['schema_version', 'accounts'];

interface VersionSchema {
  schema_version: { version: bigint };
}

export class SchemaTooNewError extends Error {
  constructor(found: number) {
    super(
      `the accounts database has schema version ${found}, but this program knows versions up to ` +
        `${SCHEMA_VERSION}: it was used by a newer Tapeloom. Run that version`,
    );
  }
}

class SchemaTooOldError extends Error {
  constructor(found: number) {
    super(
      `the accounts database has schema version ${found}, but this program uses version ${SCHEMA_VERSION}. Only the ` +
        'service upgrades it, when it starts: start the service of this version first, or use the commands of the version ' +
        'that the accounts have',
    );
  }
}

/** Rows of `schema_version` were removed, or this is no accounts database. */
class SchemaUnknownError extends Error {
  constructor(found: readonly number[]) {
    super(
      'the accounts database does not say which schema it has: its table schema_version should list every version ' +
        `from 1 on, and lists ${found.length === 0 ? 'none' : found.join(', ')}. Restore a backup of the accounts`,
    );
  }
}

/** Whether the database has tables of any schema version. */
export async function hasSchema(database: Kysely<unknown>): Promise<boolean> {
  const tables = await database.introspection.getTables();
  return tables.some(({ name }) => MARKS.includes(name));
}

/** For programs that must not change a schema: throws unless the schema is the newest. */
export async function requireNewestSchema(database: Kysely<unknown>): Promise<void> {
  const found = (await hasSchema(database)) ? await schemaVersion(database) : 0;
  if (found > SCHEMA_VERSION) throw new SchemaTooNewError(found);
  if (found < SCHEMA_VERSION) throw new SchemaTooOldError(found);
}

/** `upTo` is for tests that need a database as an earlier program left it. */
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
      // Another process may have migrated while this one waited for the write lock.
      if ((await schemaVersion(transaction)) >= migration.version) return;
      await migration.up(transaction, dialect);
      await versions(transaction)
        .insertInto('schema_version')
        .values({ version: BigInt(migration.version) })
        .execute();
    });
  }
}

/** Versions are recorded one by one and never removed; 0: another process is creating the first. */
async function schemaVersion(database: Kysely<unknown>): Promise<number> {
  let found = await listedVersions(database);
  if (found.length === 0) {
    const tables = await database.introspection.getTables();
    if (!tables.some(({ name }) => name === 'accounts')) return 0;
    // Another process may have created the first version between the two reads.
    found = await listedVersions(database);
    if (found.length === 0) throw new SchemaUnknownError([]);
  }
  const newest = found.at(-1)!;
  // A newer program may record versions in its own way.
  if (newest > SCHEMA_VERSION) return newest;
  const isWhole = found.every((version, index) => version === index + 1);
  if (!isWhole) throw new SchemaUnknownError(found);
  return newest;
}

async function listedVersions(database: Kysely<unknown>): Promise<readonly number[]> {
  const rows = await versions(database)
    .selectFrom('schema_version')
    .select('version')
    .orderBy('version')
    .execute();
  return rows.map(({ version }) => Number(version));
}

function versions(database: Kysely<unknown>): Kysely<VersionSchema> {
  return database as Kysely<VersionSchema>;
}
