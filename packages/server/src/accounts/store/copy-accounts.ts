/**
 * Copies all rows of all tables of the accounts' database into another database with empty tables, in one transaction.
 * Digests prove the copy: they depend on the rows alone, not on their order or on how a database sorts text.
 */

import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { AccountSchema } from './account-schema.ts';
import type { Sql, SqlDatabase } from './sql-database.ts';

type Table = keyof AccountSchema;

/** Ordered so that a row follows the rows that it references. Each table lists its sort columns. */
const TABLES: { readonly [T in Table]: readonly (string & keyof AccountSchema[T])[] } = {
  accounts: ['id'],
  grants: ['account_id', 'position'],
  keys: ['id'],
  stream_tokens: ['hash'],
  session_tokens: ['hash'],
  month_usage: ['account_id', 'period'],
  key_usage: ['account_id', 'period', 'key_id'],
  day_usage: ['account_id', 'day'],
  reservations: ['id'],
  idempotent_requests: ['key_id', 'idempotency_key'],
  audit_log: ['sequence'],
  audit_beginning: ['kept_from'],
  owners: ['account_id'],
  sign_in_links: ['hash'],
  people_turns: ['who'],
  sessions: ['id'],
  account_births: ['account_id'],
  account_deletions: ['account_id'],
  orders: ['id'],
  waiver_texts: ['sha256'],
  consents: ['order_id'],
  withdrawals: ['order_id'],
  orders_beginning: ['kept_from'],
  payment_events: ['provider', 'id'],
  payment_listings: ['provider'],
  mails: ['id'],
  account_marks: ['account_id', 'mark'],
  usage_told: ['account_id', 'period', 'budget', 'budget_limit', 'percent'],
  status_spans: ['node', 'from_at'],
  passkeys: ['id'],
  passkey_challenges: ['hash'],
  passkey_recoveries: ['account_id'],
  layouts: ['id'],
  layout_states: ['layout_id', 'state'],
};
/** Tables that always have exactly one row. */
const ONE_ROW: ReadonlySet<string> = new Set(['audit_beginning', 'orders_beginning']);
const ROWS_AT_ONCE = 500;
const DIGEST_LIMIT = 1n << 256n;

type Row = Readonly<Record<string, unknown>>;

export interface TableProof {
  readonly table: string;
  readonly rows: number;
  /** Of the rows, independent of their order. */
  readonly digest: string;
}

/** The target database already has accounts. */
export class AccountsThereError extends Error {}

/** The proof of each table's contents, all at one moment. */
export async function accountsProof(database: SqlDatabase): Promise<readonly TableProof[]> {
  return await database.reading(async (reading) => {
    const proofs: TableProof[] = [];
    for (const table of Object.keys(TABLES) as Table[]) {
      let sum = 0n;
      let rows = 0;
      for await (const some of rowsOf(reading, table)) {
        for (const row of some) sum = (sum + digestOf(row)) % DIGEST_LIMIT;
        rows += some.length;
      }
      proofs.push({ table, rows, digest: sum.toString(16).padStart(64, '0') });
    }
    return proofs;
  });
}

/** Rejects with `AccountsThereError` if the target is not empty. After any failure nothing is changed. */
export async function copyAccounts(from: SqlDatabase, to: SqlDatabase): Promise<void> {
  const tables = Object.keys(TABLES) as Table[];
  await from.reading(async (reading) => {
    await to.writing(async (writing) => {
      for (const table of tables) await requireEmpty(writing, table);
      for (const table of tables) {
        if (ONE_ROW.has(table)) await sql`delete from ${sql.table(table)}`.execute(writing);
        for await (const some of rowsOf(reading, table)) await insert(writing, table, some);
      }
      // The next number must follow the last copied one; SQLite ensures that itself.
      if (to.schema.sequenceType !== 'bigserial') return;
      await sql`select setval(pg_get_serial_sequence('audit_log', 'sequence'), max(sequence))
        from audit_log having count(*) > 0`.execute(writing);
    });
  });
}

export function areEqual(a: readonly TableProof[], b: readonly TableProof[]): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

async function requireEmpty(reading: Sql, table: Table): Promise<void> {
  if (ONE_ROW.has(table)) return;
  const { rows } = await sql`select 1 from ${sql.table(table)} limit 1`.execute(reading);
  if (rows.length > 0) throw new AccountsThereError(`the table ${table} has rows already`);
}

async function* rowsOf(reading: Sql, table: Table): AsyncGenerator<readonly Row[]> {
  const order = sql.join(TABLES[table].map((column) => sql.ref(column)));
  for (let offset = 0; ; offset += ROWS_AT_ONCE) {
    const { rows } =
      await sql<Row>`select * from ${sql.table(table)} order by ${order} limit ${ROWS_AT_ONCE} offset ${offset}`.execute(
        reading,
      );
    if (rows.length > 0) yield rows;
    if (rows.length < ROWS_AT_ONCE) return;
  }
}

async function insert(writing: Sql, table: Table, rows: readonly Row[]): Promise<void> {
  const columns = Object.keys(rows[0]!);
  const values = rows.map((row) => sql`(${sql.join(columns.map((column) => row[column]))})`);
  const names = sql.join(columns.map((column) => sql.ref(column)));
  await sql`insert into ${sql.table(table)} (${names}) values ${sql.join(values)}`.execute(writing);
}

function digestOf(row: Row): bigint {
  const named = Object.entries(row).sort(([a], [b]) => (a < b ? -1 : 1));
  const text = JSON.stringify(named, (_, value: unknown) =>
    typeof value === 'bigint' ? { whole: value.toString() } : value,
  );
  return BigInt(`0x${createHash('sha256').update(text).digest('hex')}`);
}
