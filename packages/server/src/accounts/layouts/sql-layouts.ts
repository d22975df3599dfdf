/**
 * Layouts over a SQL database; see `layouts-store.ts`. Every change holds the account's row, so two changes of one
 * account never run at the same time and the limits hold.
 */

import type { EpochNs } from '@tapeloom/core/numbers';
import { holdAccount } from '../keys/sql-accounts.ts';
import type { Sql } from '../store/sql-database.ts';
import type { SqlStore } from '../store/sql-store.ts';
import type { LayoutRow } from './layout-tables.ts';
import {
  DELETED_KEPT_NS,
  DELETED_LAYOUTS_MAX,
  LAYOUTS_MAX,
  type LayoutChange,
  type LayoutRecord,
  type LayoutStale,
  type LayoutState,
  type LayoutsStore,
  type LayoutUnknown,
  type NewLayout,
  STATES_KEPT,
  type TooManyLayouts,
  type WithText,
} from './layouts-store.ts';
import { removeLayouts } from './sql-layout-removal.ts';

type Kept = LayoutRecord & WithText;

const UNKNOWN: LayoutUnknown = { refused: 'unknown-layout' };
const TOO_MANY: TooManyLayouts = { refused: 'too-many-layouts' };

export function sqlLayouts(store: SqlStore): LayoutsStore {
  return {
    layoutsOf: store.reads(layoutsOf),
    createLayout: store.changes((sql, now, accountId, layout) =>
      createLayout(sql, now, accountId, layout, store.newId('lay')),
    ),
    findLayout: store.reads(findLayout),
    changeLayout: store.changes(changeLayout),
    deleteLayout: store.changes(deleteLayout),
    undeleteLayout: store.changes(undeleteLayout),
    layoutStates: store.reads(layoutStates),
    restoreLayout: store.changes(restoreLayout),
    wholeLayout: store.reads(wholeLayout),
  };
}

async function layoutsOf(
  sql: Sql,
  now: EpochNs,
  accountId: string,
): Promise<readonly LayoutRecord[]> {
  const rows = await sql
    .selectFrom('layouts')
    .innerJoin('layout_states', (join) =>
      join
        .onRef('layout_states.layout_id', '=', 'layouts.id')
        .onRef('layout_states.state', '=', 'layouts.state'),
    )
    .selectAll('layouts')
    .select('layout_states.bytes')
    .where('account_id', '=', accountId)
    .orderBy('updated_at', 'desc')
    .orderBy('id')
    .execute();
  return rows.filter((row) => isKept(row, now)).map((row) => recordOf(row, row.bytes));
}

async function createLayout(
  sql: Sql,
  now: EpochNs,
  accountId: string,
  { name, text }: NewLayout,
  id: string,
): Promise<LayoutRecord | TooManyLayouts> {
  await holdAccount(sql, accountId);
  if (!(await hasRoom(sql, accountId))) return TOO_MANY;
  const row = await sql
    .insertInto('layouts')
    .values({
      ...{ id, account_id: accountId, name, state: 1 },
      ...{ created_at: now, updated_at: now, deleted_at: null },
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  const bytes = await insertState(sql, now, row, text);
  return recordOf(row, bytes);
}

async function findLayout(sql: Sql, accountId: string, layoutId: string): Promise<Kept | null> {
  const row = await rowOf(sql, accountId, layoutId);
  return row === undefined || row.deleted_at !== null ? null : await withText(sql, row);
}

async function changeLayout(
  sql: Sql,
  now: EpochNs,
  accountId: string,
  layoutId: string,
  { name, layout }: LayoutChange,
): Promise<LayoutRecord | LayoutUnknown | LayoutStale> {
  await holdAccount(sql, accountId);
  const before = await findLayout(sql, accountId, layoutId);
  if (before === null) return UNKNOWN;
  const isSame = layout === undefined || layout.text === before.text;
  if (!isSame && layout.state !== before.state) return { refused: 'stale', state: before.state };
  if (isSame && (name ?? before.name) === before.name) return withoutText(before);
  const row = await sql
    .updateTable('layouts')
    .set({
      ...{ name: name ?? before.name, updated_at: now },
      state: isSame ? before.state : before.state + 1,
    })
    .where('id', '=', layoutId)
    .returningAll()
    .executeTakeFirstOrThrow();
  if (isSame) return recordOf(row, BigInt(before.bytes));
  return recordOf(row, await insertState(sql, now, row, layout.text));
}

async function deleteLayout(
  sql: Sql,
  now: EpochNs,
  accountId: string,
  layoutId: string,
): Promise<boolean> {
  await holdAccount(sql, accountId);
  const deleted = await sql
    .updateTable('layouts')
    .set({ deleted_at: now })
    .where('id', '=', layoutId)
    .where('account_id', '=', accountId)
    .where('deleted_at', 'is', null)
    .returning('id')
    .executeTakeFirst();
  if (deleted === undefined) return false;
  const surplus = await sql
    .selectFrom('layouts')
    .select('id')
    .where('account_id', '=', accountId)
    .where('deleted_at', 'is not', null)
    // The clock may have been set back since an earlier deletion: this one stays in any case.
    .where('id', '<>', layoutId)
    .orderBy('deleted_at', 'desc')
    .orderBy('id')
    .execute();
  await removeLayouts(
    sql,
    surplus.slice(DELETED_LAYOUTS_MAX - 1).map(({ id }) => id),
  );
  return true;
}

async function undeleteLayout(
  sql: Sql,
  now: EpochNs,
  accountId: string,
  layoutId: string,
): Promise<LayoutRecord | LayoutUnknown | TooManyLayouts> {
  await holdAccount(sql, accountId);
  const row = await rowOf(sql, accountId, layoutId);
  if (row === undefined || !isKept(row, now)) return UNKNOWN;
  if (row.deleted_at !== null) {
    if (!(await hasRoom(sql, accountId))) return TOO_MANY;
    await sql
      .updateTable('layouts')
      .set({ deleted_at: null })
      .where('id', '=', layoutId)
      .executeTakeFirstOrThrow();
  }
  return withoutText(await withText(sql, { ...row, deleted_at: null }));
}

async function layoutStates(
  sql: Sql,
  accountId: string,
  layoutId: string,
): Promise<readonly LayoutState[] | null> {
  const row = await rowOf(sql, accountId, layoutId);
  if (row === undefined || row.deleted_at !== null) return null;
  const states = await sql
    .selectFrom('layout_states')
    .select(['state', 'saved_at', 'bytes'])
    .where('layout_id', '=', layoutId)
    .orderBy('state', 'desc')
    .execute();
  return states.map(stateOf);
}

async function restoreLayout(
  sql: Sql,
  now: EpochNs,
  accountId: string,
  layoutId: string,
  state: number,
): Promise<Kept | LayoutUnknown | { readonly refused: 'unknown-state' }> {
  await holdAccount(sql, accountId);
  const before = await findLayout(sql, accountId, layoutId);
  if (before === null) return UNKNOWN;
  const wanted = await sql
    .selectFrom('layout_states')
    .select('layout')
    .where('layout_id', '=', layoutId)
    .where('state', '=', BigInt(state))
    .executeTakeFirst();
  if (wanted === undefined) return { refused: 'unknown-state' };
  const layout = { state: before.state, text: wanted.layout };
  const after = await changeLayout(sql, now, accountId, layoutId, { layout });
  return 'refused' in after ? UNKNOWN : { ...after, text: layout.text };
}

async function wholeLayout(
  sql: Sql,
  accountId: string,
  layoutId: string,
): Promise<readonly (LayoutState & WithText)[]> {
  if ((await rowOf(sql, accountId, layoutId)) === undefined) return [];
  const states = await sql
    .selectFrom('layout_states')
    .selectAll()
    .where('layout_id', '=', layoutId)
    .orderBy('state')
    .execute();
  return states.map((row) => ({ ...stateOf(row), text: row.layout }));
}

function rowOf(sql: Sql, accountId: string, layoutId: string): Promise<LayoutRow | undefined> {
  return sql
    .selectFrom('layouts')
    .selectAll()
    .where('id', '=', layoutId)
    .where('account_id', '=', accountId)
    .executeTakeFirst();
}

async function withText(sql: Sql, row: LayoutRow): Promise<Kept> {
  const { layout, bytes } = await sql
    .selectFrom('layout_states')
    .select(['layout', 'bytes'])
    .where('layout_id', '=', row.id)
    .where('state', '=', row.state)
    .executeTakeFirstOrThrow();
  return { ...recordOf(row, bytes), text: layout };
}

function withoutText({ text: _text, ...record }: Kept): LayoutRecord {
  return record;
}

/** The newest state of a row, and the end of those that are too old to be kept; returns its size. */
async function insertState(
  sql: Sql,
  now: EpochNs,
  { id, state }: LayoutRow,
  text: string,
): Promise<bigint> {
  const bytes = BigInt(Buffer.byteLength(text));
  await sql
    .insertInto('layout_states')
    .values({ layout_id: id, state, saved_at: now, bytes, layout: text })
    .execute();
  await sql
    .deleteFrom('layout_states')
    .where('layout_id', '=', id)
    .where('state', '<=', state - BigInt(STATES_KEPT))
    .execute();
  return bytes;
}

async function hasRoom(sql: Sql, accountId: string): Promise<boolean> {
  const { count } = await sql
    .selectFrom('layouts')
    .select((eb) => eb.fn.countAll<bigint>().as('count'))
    .where('account_id', '=', accountId)
    .where('deleted_at', 'is', null)
    .executeTakeFirstOrThrow();
  return Number(count) < LAYOUTS_MAX;
}

function isKept({ deleted_at }: LayoutRow, now: EpochNs): boolean {
  return deleted_at === null || deleted_at + DELETED_KEPT_NS > now;
}

function stateOf(row: { state: bigint; saved_at: bigint; bytes: bigint }): LayoutState {
  return {
    state: Number(row.state),
    savedAt: row.saved_at as EpochNs,
    bytes: Number(row.bytes),
  };
}

function recordOf(row: LayoutRow, bytes: bigint): LayoutRecord {
  return {
    id: row.id,
    name: row.name,
    createdAt: row.created_at as EpochNs,
    updatedAt: row.updated_at as EpochNs,
    deletedAt: row.deleted_at as EpochNs | null,
    state: Number(row.state),
    bytes: Number(bytes),
  };
}
