/**
 * The sign-in: uses a link up and begins a session in the account that the link's address owns, or in a new one. All
 * rejections are checked before the link is used up.
 */

import type { EpochNs } from '@tapeloom/core/numbers';
import { createAccount, holdAccount } from '../keys/sql-accounts.ts';
import { countedUntil, latest } from '../store/sound-times.ts';
import type { Writing } from '../store/sql-audit.ts';
import { removed, type Sql } from '../store/sql-database.ts';
import type { StoreCall } from '../store/store-call.ts';
import {
  type AlreadyOwned,
  type EmailTaken,
  type LinkRefused,
  NEW_ACCOUNTS_AT_ONCE,
  NEW_ACCOUNTS_COUNTED_NS,
  NEW_ACCOUNTS_SLOW_NS,
  type NewSession,
  type PasskeyUse,
  type PasskeyWanted,
  type SignedIn,
  type TooMany,
} from './people-store.ts';
import type { LinkRow } from './people-tables.ts';
import { usePasskey } from './sql-passkeys.ts';
import { linkFault, mailboxTurn, takeTurn, useLink } from './sql-people-links.ts';
import { findOwner, holdOwner, writeOwner } from './sql-people-owners.ts';
import { beginSession } from './sql-people-sessions.ts';

/** Ids for what a sign-in may create. */
interface NewIds {
  readonly session: string;
  readonly account: string;
}

/** The account of the session, and whether it must be made or owned first. */
type Opening =
  | { readonly t: 'owned' | 'claimed'; readonly accountId: string }
  | { readonly t: 'new' };

export async function signIn(
  writing: Writing,
  now: EpochNs,
  hash: string,
  session: NewSession,
  use: PasskeyUse | null,
  ids: NewIds,
): Promise<SignedIn | LinkRefused | TooMany | EmailTaken | AlreadyOwned | PasskeyWanted> {
  const { sql } = writing;
  const fault = await linkFault(sql, now, hash, 'sign-in');
  if (fault !== null) return fault;
  const link = await sql
    .selectFrom('sign_in_links')
    .selectAll()
    .where('hash', '=', hash)
    .executeTakeFirstOrThrow();
  await takeTurn(sql, now, mailboxTurn(link.email_key!));
  const opening = await openingOf(sql, now, link, session.askedFrom);
  if ('refused' in opening) return opening;
  const wanted =
    opening.t === 'owned' ? await passkeyWanted(sql, now, opening.accountId, use) : null;
  if (wanted !== null) return wanted;
  if ((await useLink(sql, now, hash, 'sign-in')) === undefined) return { refused: 'used' };
  const call: StoreCall = { now, actor: { kind: 'owner' } };
  const accountId = opening.t === 'new' ? ids.account : opening.accountId;
  if (opening.t === 'new') await makeAccount(writing, call, accountId, session.askedFrom);
  if (opening.t !== 'owned') {
    const address = { email: link.email!, key: link.email_key! };
    await writeOwner(writing, call, accountId, address, null);
  }
  const begun = await beginSession(writing, call, accountId, { ...session, id: ids.session });
  return { session: begun, isNew: opening.t === 'new' };
}

/** Why the link alone is not enough; null: it is. */
async function passkeyWanted(
  sql: Sql,
  now: EpochNs,
  accountId: string,
  use: PasskeyUse | null,
): Promise<PasskeyWanted | null> {
  if (use !== null) {
    return (await usePasskey(sql, now, accountId, use)) ? null : { refused: 'passkey' };
  }
  const owner = await findOwner(sql, 'account_id', accountId);
  return owner?.secondFactor === true ? { refused: 'needs-passkey' } : null;
}

async function openingOf(
  sql: Sql,
  now: EpochNs,
  link: LinkRow,
  askedFrom: string,
): Promise<Opening | TooMany | EmailTaken | AlreadyOwned> {
  const owner = await holdOwner(sql, link.email_key!);
  const { account_id: accountId } = link;
  if (accountId === null) {
    if (owner !== null) return { t: 'owned', accountId: owner.accountId };
    return (await tooManyBirths(sql, now, askedFrom)) ?? { t: 'new' };
  }
  if (owner !== null) {
    return owner.accountId === accountId ? { t: 'owned', accountId } : { refused: 'email-taken' };
  }
  await holdAccount(sql, accountId);
  if ((await findOwner(sql, 'account_id', accountId)) !== null) return { refused: 'already-owned' };
  return { t: 'claimed', accountId };
}

async function tooManyBirths(sql: Sql, now: EpochNs, askedFrom: string): Promise<TooMany | null> {
  await takeTurn(sql, now, `births in ${askedFrom}`);
  const births = await sql
    .selectFrom('account_births')
    .select('created_at')
    .where('asked_from', '=', askedFrom)
    .where('created_at', '>', now - NEW_ACCOUNTS_COUNTED_NS)
    .where('created_at', '<=', latest(now))
    .orderBy('created_at', 'desc')
    .limit(NEW_ACCOUNTS_AT_ONCE)
    .execute();
  if (births.length < NEW_ACCOUNTS_AT_ONCE) return null;
  const until = countedUntil(births[0]!.created_at, NEW_ACCOUNTS_SLOW_NS, now);
  return now < until ? { refused: 'too-many', until } : null;
}

/** Its name is its id, since a name known to people would be personal data. */
async function makeAccount(
  writing: Writing,
  call: StoreCall,
  id: string,
  askedFrom: string,
): Promise<void> {
  const made = await createAccount(writing, call, id, { name: id, grants: [] });
  if ('refused' in made) throw new Error(`there is an account called ${id} already`);
  await writing.sql
    .insertInto('account_births')
    .values({ account_id: id, asked_from: askedFrom, created_at: call.now })
    .execute();
}

/** Removes some entries that no limit counts any more; returns how many. */
export async function forgetBirths(sql: Sql, now: EpochNs, limit: number): Promise<number> {
  const old = sql
    .selectFrom('account_births')
    .select('account_id')
    .where('created_at', '<=', now - NEW_ACCOUNTS_COUNTED_NS)
    .limit(limit);
  return removed(await sql.deleteFrom('account_births').where('account_id', 'in', old).execute());
}
