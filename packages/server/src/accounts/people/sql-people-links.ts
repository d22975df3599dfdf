/** Mailed or handed-over links: stored as digests, counted first, and used up by the statement that validates them. */

import type { EpochNs } from '@tapeloom/core/numbers';
import { countedUntil, latest } from '../store/sound-times.ts';
import { removed, type Sql } from '../store/sql-database.ts';
import {
  LINK_VALID_NS,
  LINKS_COUNTED_NS,
  LINKS_MAX,
  LINKS_PER_MAILBOX_MAX,
  LINKS_PER_NEIGHBOURHOOD_AT_ONCE,
  LINKS_SLOW_NS,
  type LinkPurpose,
  type LinkRecord,
  type LinkRefused,
  type NewLink,
  type TooMany,
} from './people-store.ts';
import type { LinkRow } from './people-tables.ts';

export async function addLink(
  sql: Sql,
  now: EpochNs,
  hash: string,
  link: NewLink,
): Promise<{ readonly expiresAt: EpochNs } | TooMany> {
  // The first check writes nothing, so requests over the limit cost little.
  const refused = (await tooMany(sql, now, link)) ?? (await tooManyInTurn(sql, now, link));
  if (refused !== null) return refused;
  const expiresAt = (now + LINK_VALID_NS) as EpochNs;
  await sql
    .insertInto('sign_in_links')
    .values({
      hash,
      purpose: link.purpose,
      email: link.address?.email ?? null,
      email_key: link.address?.key ?? null,
      account_id: link.accountId,
      new_email: link.newAddress?.email ?? null,
      new_email_key: link.newAddress?.key ?? null,
      asked_from: link.askedFrom,
      created_at: now,
      expires_at: expiresAt,
      used_at: null,
    })
    .execute();
  return { expiresAt };
}

async function tooManyInTurn(sql: Sql, now: EpochNs, link: NewLink): Promise<TooMany | null> {
  if (link.address !== null) await takeTurn(sql, now, mailboxTurn(link.address.key));
  if (link.askedFrom !== null) {
    await takeTurn(sql, now, `links from ${link.askedFrom}`);
    await takeTurn(sql, now, 'links of all');
  }
  return await tooMany(sql, now, link);
}

async function tooMany(
  sql: Sql,
  now: EpochNs,
  { address, askedFrom }: NewLink,
): Promise<TooMany | null> {
  if (askedFrom === null) return null;
  const counted = sql
    .selectFrom('sign_in_links')
    .where('asked_from', 'is not', null)
    .where('created_at', '>', now - LINKS_COUNTED_NS)
    .where('created_at', '<=', latest(now));
  const limits = [
    ...(address === null
      ? []
      : [{ of: counted.where('email_key', '=', address.key), max: LINKS_PER_MAILBOX_MAX }]),
    { of: counted, max: LINKS_MAX },
  ];
  const recent = await counted
    .where('asked_from', '=', askedFrom)
    .select('created_at')
    .orderBy('created_at', 'desc')
    .limit(LINKS_PER_NEIGHBOURHOOD_AT_ONCE)
    .execute();
  if (recent.length === LINKS_PER_NEIGHBOURHOOD_AT_ONCE) {
    const until = countedUntil(recent[0]!.created_at, LINKS_SLOW_NS, now);
    if (now < until) return { refused: 'too-many', until };
  }
  for (const { of, max } of limits) {
    // The oldest of the newest `max`.
    const last = await of
      .select('created_at')
      .orderBy('created_at', 'desc')
      .offset(max - 1)
      .limit(1)
      .executeTakeFirst();
    if (last === undefined) continue;
    return { refused: 'too-many', until: countedUntil(last.created_at, LINKS_COUNTED_NS, now) };
  }
  return null;
}

export function mailboxTurn(emailKey: string): string {
  return `mailbox ${emailKey}`;
}

/** Locks `who` until this transaction ends: others that count the same wait, and then see its result. */
export async function takeTurn(sql: Sql, now: EpochNs, who: string): Promise<void> {
  await sql
    .insertInto('people_turns')
    .values({ who, at: now })
    .onConflict((conflict) => conflict.column('who').doUpdateSet({ at: now }))
    .execute();
}

export async function findLink(
  sql: Sql,
  now: EpochNs,
  hash: string,
): Promise<LinkRecord | LinkRefused> {
  const link = await sql
    .selectFrom('sign_in_links')
    .selectAll()
    .where('hash', '=', hash)
    .executeTakeFirst();
  const refused = faultOf(link, now);
  if (refused !== null) return refused;
  const { purpose, email, new_email: newEmail, expires_at } = link!;
  const account = await accountOpened(sql, link!);
  const needsPasskey = purpose === 'sign-in' && (await hasSecondFactor(sql, account?.id ?? ''));
  return { purpose, email, newEmail, account, needsPasskey, expiresAt: expires_at as EpochNs };
}

async function hasSecondFactor(sql: Sql, accountId: string): Promise<boolean> {
  const owner = await sql
    .selectFrom('owners')
    .select('second_factor')
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  return owner?.second_factor === 1n;
}

async function accountOpened(sql: Sql, link: LinkRow): Promise<LinkRecord['account']> {
  const ids = sql.selectFrom('accounts').select(['accounts.id', 'accounts.name']);
  const found =
    link.account_id === null
      ? ids
          .innerJoin('owners', 'owners.account_id', 'accounts.id')
          .where('owners.email_key', '=', link.email_key ?? '')
      : ids.where('accounts.id', '=', link.account_id);
  return (await found.executeTakeFirst()) ?? null;
}

/** Why a link of this purpose is invalid; null while it is valid. */
export async function linkFault(
  sql: Sql,
  now: EpochNs,
  hash: string,
  purpose: LinkPurpose,
): Promise<LinkRefused | null> {
  const link = await sql
    .selectFrom('sign_in_links')
    .selectAll()
    .where('hash', '=', hash)
    .where('purpose', '=', purpose)
    .executeTakeFirst();
  return faultOf(link, now);
}

/** The same for a link of this account that was sent to its owner's present address: its user can read that mailbox. */
export async function ownersLinkFault(
  sql: Sql,
  now: EpochNs,
  hash: string,
  { purpose, accountId }: { readonly purpose: LinkPurpose; readonly accountId: string },
): Promise<LinkRefused | null> {
  const link = await sql
    .selectFrom('sign_in_links')
    .innerJoin('owners', 'owners.account_id', 'sign_in_links.account_id')
    .select('sign_in_links.hash')
    .where('sign_in_links.hash', '=', hash)
    .where('sign_in_links.account_id', '=', accountId)
    .whereRef('sign_in_links.email_key', '=', 'owners.email_key')
    .executeTakeFirst();
  return link === undefined ? { refused: 'unknown' } : await linkFault(sql, now, hash, purpose);
}

function faultOf(link: LinkRow | undefined, now: EpochNs): LinkRefused | null {
  if (link === undefined) return { refused: 'unknown' };
  if (link.used_at !== null) return { refused: 'used' };
  const isOver = now >= link.expires_at || link.created_at > latest(now);
  return isOver ? { refused: 'expired' } : null;
}

/** Locks the link until this transaction ends: other users of it wait, and then see the result. */
export async function holdLink(sql: Sql, hash: string): Promise<void> {
  await sql
    .updateTable('sign_in_links')
    .set(({ ref }) => ({ used_at: ref('used_at') }))
    .where('hash', '=', hash)
    .execute();
}

/** Of two concurrent uses of one link, only one finds it. */
export function useLink(
  sql: Sql,
  now: EpochNs,
  hash: string,
  purpose: LinkPurpose,
): Promise<LinkRow | undefined> {
  return sql
    .updateTable('sign_in_links')
    .set({ used_at: now })
    .where('hash', '=', hash)
    .where('purpose', '=', purpose)
    .where('used_at', 'is', null)
    .where('expires_at', '>', now)
    .where('created_at', '<=', latest(now))
    .returningAll()
    .executeTakeFirst();
}

/** Removes some links that no limit counts or that a clock ahead has made; returns how many. */
export async function forgetLinks(sql: Sql, now: EpochNs, limit: number): Promise<number> {
  const old = sql
    .selectFrom('sign_in_links')
    .select('hash')
    .where((eb) =>
      eb.or([
        eb.and([eb('created_at', '<=', now - LINKS_COUNTED_NS), eb('expires_at', '<=', now)]),
        eb('created_at', '>', latest(now)),
      ]),
    )
    .limit(limit);
  return removed(await sql.deleteFrom('sign_in_links').where('hash', 'in', old).execute());
}

export async function forgetTurns(sql: Sql, now: EpochNs, limit: number): Promise<number> {
  const old = sql
    .selectFrom('people_turns')
    .select('who')
    .where('at', '<=', now - LINKS_COUNTED_NS)
    .limit(limit);
  return removed(await sql.deleteFrom('people_turns').where('who', 'in', old).execute());
}
