/** People over a SQL database; see `people-store.ts`. */

import type { EpochNs } from '@tapeloom/core/numbers';
import type { EmailAddress } from '@tapeloom/core/person/email-address';
import type { StoreCall } from './account-store.ts';
import type {
  AlreadyOwned,
  ClaimUsed,
  DeletionRecord,
  EmailTaken,
  LinkRecord,
  LinkRefused,
  NewLink,
  NewSession,
  OwnerRecord,
  PeopleStore,
  SessionRecord,
  SignedIn,
  TooMany,
} from './people-store.ts';
import * as deletions from './sql-people-deletions.ts';
import * as links from './sql-people-links.ts';
import * as owners from './sql-people-owners.ts';
import * as sessions from './sql-people-sessions.ts';
import { forgetBirths, signIn } from './sql-people-sign-in.ts';
import type { SqlStore } from './sql-store.ts';

/** What housekeeping clears away of people, some at a time. */
export const FORGOTTEN_PEOPLE = [
  links.forgetLinks,
  links.forgetTurns,
  sessions.forgetSessions,
  forgetBirths,
] as const;

export class SqlPeople implements PeopleStore {
  readonly #store: SqlStore;

  constructor(store: SqlStore) {
    this.#store = store;
  }

  ownerOf(accountId: string): Promise<OwnerRecord | null> {
    return this.#store.read((sql) => owners.findOwner(sql, 'account_id', accountId));
  }

  ownerByEmail(emailKey: string): Promise<OwnerRecord | null> {
    return this.#store.read((sql) => owners.findOwner(sql, 'email_key', emailKey));
  }

  setOwner(
    call: StoreCall,
    accountId: string,
    address: EmailAddress,
  ): Promise<OwnerRecord | EmailTaken | { readonly refused: 'not-found' }> {
    return this.#store.write((writing) => owners.setOwner(writing, call, accountId, address));
  }

  addLink(
    now: EpochNs,
    hash: string,
    link: NewLink,
  ): Promise<{ readonly expiresAt: EpochNs } | TooMany> {
    return this.#store.write(({ sql }) => links.addLink(sql, now, hash, link));
  }

  findLink(now: EpochNs, hash: string): Promise<LinkRecord | LinkRefused> {
    return this.#store.read((sql) => links.findLink(sql, now, hash));
  }

  useClaim(
    now: EpochNs,
    hash: string,
    link: { readonly hash: string; readonly address: EmailAddress; readonly askedFrom: string },
  ): Promise<ClaimUsed | LinkRefused | TooMany | AlreadyOwned> {
    return this.#store.write(({ sql }) => owners.useClaim(sql, now, hash, link));
  }

  signIn(
    now: EpochNs,
    hash: string,
    session: NewSession,
  ): Promise<SignedIn | LinkRefused | TooMany | EmailTaken | AlreadyOwned> {
    const ids = { session: this.#store.newId('ses'), account: this.#store.newId('acc') };
    return this.#store.write((writing) => signIn(writing, now, hash, session, ids));
  }

  changeEmail(
    call: StoreCall,
    accountId: string,
    hash: string,
  ): Promise<OwnerRecord | LinkRefused | EmailTaken> {
    return this.#store.write((writing) => owners.changeEmail(writing, call, accountId, hash));
  }

  findSession(hash: string): Promise<SessionRecord | null> {
    return this.#store.read((sql) => sessions.findSession(sql, hash));
  }

  sessionsOf(accountId: string, now: EpochNs): Promise<readonly SessionRecord[]> {
    return this.#store.read((sql) => sessions.sessionsOf(sql, accountId, now));
  }

  touchSession(_accountId: string, sessionId: string, now: EpochNs): Promise<void> {
    return this.#store.write(({ sql }) => sessions.touchSession(sql, sessionId, now));
  }

  endSession(call: StoreCall, accountId: string, sessionId: string): Promise<boolean> {
    return this.#store.write((it) => sessions.endSession(it, call, accountId, sessionId));
  }

  endOtherSessions(call: StoreCall, accountId: string, sessionId: string): Promise<number> {
    return this.#store.write((it) => sessions.endSessions(it, call, accountId, sessionId));
  }

  deletionOf(accountId: string): Promise<DeletionRecord | null> {
    return this.#store.read((sql) => deletions.deletionOf(sql, accountId));
  }

  askDeletion(
    call: StoreCall,
    accountId: string,
  ): Promise<(DeletionRecord & { readonly isNew: boolean }) | TooMany> {
    return this.#store.write((writing) => deletions.askDeletion(writing, call, accountId));
  }

  withdrawDeletion(call: StoreCall, accountId: string): Promise<boolean> {
    return this.#store.write((writing) => deletions.withdrawDeletion(writing, call, accountId));
  }

  deletionsDue(now: EpochNs): Promise<readonly string[]> {
    return this.#store.read((sql) => deletions.deletionsDue(sql, now));
  }

  deleteAccount(call: StoreCall, accountId: string): Promise<OwnerRecord | null> {
    return this.#store.write((writing) => deletions.deleteAccount(writing, call, accountId));
  }
}
