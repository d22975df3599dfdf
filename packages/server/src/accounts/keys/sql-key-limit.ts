/**
 * Adds a key if the account has fewer than ten valid ones, has not made too many in 24 hours, and has a free slot in
 * its list. Check and insert are one statement, so nothing can happen between them. However many keys the account ever
 * had, no check reads more index entries than its limit.
 */

import type { EpochNs } from '@tapeloom/core/numbers';
import { type RawBuilder, sql as raw } from 'kysely';
import { countedUntil, latest } from '../store/sound-times.ts';
import type { Sql } from '../store/sql-database.ts';
import type { Actor } from '../store/store-call.ts';
import type { KeyRow } from './key-tables.ts';
import {
  ENDED_KEY_SHOWN_NS,
  KEYS_LISTED_MAX,
  KEYS_MADE_MAX,
  KEYS_MADE_NS,
  type Refused,
  VALID_KEYS_MAX,
} from './keys-store.ts';

/** The end of a key; a key without one is last. This is exactly the expression of the index `keys_by_end`. */
export const KEY_END = raw<bigint>`coalesce(revoked_at, expires_at, 9223372036854775807)`;
/** Before every instant: stands for a key that does not exist. */
const NEVER = -(2n ** 62n);
const NEVER_LITERAL = raw<bigint>`${raw.raw(String(NEVER))}`;

export type KeyLimitReached = Extract<
  Refused,
  { readonly refused: 'too-many-keys' | 'made-too-many' | 'list-full' }
>;

export interface KeyToAdd {
  readonly now: EpochNs;
  readonly actor: Actor;
  readonly row: KeyRow;
  /** A key that ends in this transaction and no longer counts as valid. */
  readonly ending: string | null;
}

/** The row, or the limit that prevents it: of those that waiting helps, the one that lasts longest. */
export async function addKeyWithinLimits(
  sql: Sql,
  adding: KeyToAdd,
): Promise<KeyRow | KeyLimitReached> {
  return (await insertKey(sql, adding)) ?? (await limitReached(sql, adding));
}

/** Values are cast, since a bare parameter in a SELECT has no type. */
function insertKey(sql: Sql, adding: KeyToAdd): Promise<KeyRow | undefined> {
  const { now, actor, row } = adding;
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
    .expression(() => {
      const values = [
        ...[row.id, row.account_id, row.hash, row.hint, row.name, row.environment].map(text),
        ...[row.scopes, row.instruments, row.allowed_ips].map(text),
        ...[row.created_at, row.expires_at].map(whole),
      ];
      const inserted = sql
        .selectNoFrom(values.map((value, index) => value.as(`v${index}`)))
        .where((eb) => eb(eb.val(BigInt(VALID_KEYS_MAX)), '>', validKeys(sql, adding)))
        .where((eb) => {
          const end = eb.fn.coalesce(lastListed(sql, row.account_id), NEVER_LITERAL);
          return eb(end, '<=', now - ENDED_KEY_SHOWN_NS);
        });
      if (actor.kind === 'operator') return inserted;
      return inserted.where((eb) => {
        const made = eb.fn.coalesce(lastMade(sql, row.account_id, now), NEVER_LITERAL);
        return eb(made, '<=', now - KEYS_MADE_NS);
      });
    })
    .returningAll()
    .executeTakeFirst();
}

async function limitReached(sql: Sql, adding: KeyToAdd): Promise<KeyLimitReached> {
  const { now, actor, row } = adding;
  const valid = await validKeys(sql, adding).executeTakeFirstOrThrow();
  if (Number(valid.count) >= VALID_KEYS_MAX) return { refused: 'too-many-keys' };
  const made =
    actor.kind === 'operator'
      ? undefined
      : await lastMade(sql, row.account_id, now).executeTakeFirst();
  const listed = await lastListed(sql, row.account_id).executeTakeFirst();
  const madeUntil = countedUntil(made?.instant ?? NEVER, KEYS_MADE_NS, now);
  const listedUntil = ((listed?.instant ?? NEVER) + ENDED_KEY_SHOWN_NS) as EpochNs;
  if (madeUntil <= now && listedUntil <= now) throw new Error('a key was added neither way');
  return madeUntil > listedUntil
    ? { refused: 'made-too-many', until: madeUntil }
    : { refused: 'list-full', until: listedUntil };
}

function validKeys(sql: Sql, { now, row, ending }: KeyToAdd) {
  const valid = sql
    .selectFrom('keys')
    .select((eb) => eb.fn.countAll<bigint>().as('count'))
    .where('account_id', '=', row.account_id)
    .where(KEY_END, '>', now)
    // After a clock was set back, revocations may lie in its future.
    .where('revoked_at', 'is', null);
  return ending === null ? valid : valid.where('id', '!=', ending);
}

/** The creation time of the newest key but `KEYS_MADE_MAX` - 1: while it is recent, the allowance is used up. */
function lastMade(sql: Sql, accountId: string, now: EpochNs) {
  return sql
    .selectFrom('keys')
    .select('created_at as instant')
    .where('account_id', '=', accountId)
    .where('created_at', '<=', latest(now))
    .orderBy('created_at', 'desc')
    .limit(1)
    .offset(KEYS_MADE_MAX - 1);
}

/** The end of the key that fills the list, counted from the one that leaves it last. */
function lastListed(sql: Sql, accountId: string) {
  return sql
    .selectFrom('keys')
    .select(KEY_END.as('instant'))
    .where('account_id', '=', accountId)
    .orderBy(KEY_END, 'desc')
    .limit(1)
    .offset(KEYS_LISTED_MAX - 1);
}

function text(value: string | null): RawBuilder<unknown> {
  return raw`cast(${value} as text)`;
}

function whole(value: bigint | null): RawBuilder<unknown> {
  return raw`cast(${value} as bigint)`;
}
