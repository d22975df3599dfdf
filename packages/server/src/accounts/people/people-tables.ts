/** The tables of owners, sign-in links, sessions and deletions; see `account-schema.ts`. */

import type { ColumnType, Selectable } from 'kysely';
import type { Whole, WholeOrNull } from '../store/columns.ts';
import type { AccountMark, LinkPurpose } from './people-store.ts';

interface OwnerTable {
  account_id: string;
  email: string;
  /** The normal form of the address, equal for all spellings; unique. */
  email_key: string;
  since: Whole;
  /** 1: the owner wants mails about the month's budget. */
  usage_mails: ColumnType<bigint, bigint | number | undefined, bigint | number>;
  /** 1: a sign-in link also needs a passkey. */
  second_factor: ColumnType<bigint, bigint | number | undefined, bigint | number>;
}

interface LinkTable {
  hash: string;
  purpose: LinkPurpose;
  /** The recipient; null for a claim, which is handed over by hand. */
  email: string | null;
  email_key: string | null;
  /** The account it concerns; null: the one that the address owns, or a new one. */
  account_id: string | null;
  /** The neighbourhood of the request; null: the operator. */
  asked_from: string | null;
  created_at: Whole;
  expires_at: Whole;
  used_at: WholeOrNull;
  new_email: string | null;
  new_email_key: string | null;
}

/** Rows as locks: a transaction writes the row of what it counts, so others wait and then see its result. */
interface PeopleTurnTable {
  who: string;
  at: Whole;
}

interface SessionTable {
  id: string;
  hash: string;
  account_id: string;
  browser: string;
  created_at: Whole;
  expires_at: Whole;
  last_used_at: Whole;
}

/** Accounts made by a sign-in within a day. */
interface AccountBirthTable {
  account_id: string;
  asked_from: string;
  created_at: Whole;
}

interface AccountDeletionTable {
  account_id: string;
  asked_at: Whole;
  due_at: Whole;
  done_at: WholeOrNull;
}

/** Each mark of an account once. */
interface AccountMarkTable {
  account_id: string;
  mark: AccountMark;
  at: Whole;
}

export interface PeopleTables {
  owners: OwnerTable;
  sign_in_links: LinkTable;
  people_turns: PeopleTurnTable;
  sessions: SessionTable;
  account_births: AccountBirthTable;
  account_deletions: AccountDeletionTable;
  account_marks: AccountMarkTable;
}

export type LinkRow = Selectable<LinkTable>;
