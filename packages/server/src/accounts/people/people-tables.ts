/** The tables of owners, sign-in links, sessions and deletions; see `account-schema.ts`. */

import type { ColumnType, Selectable } from 'kysely';
import type { Whole, WholeOrNull } from '../store/columns.ts';
import type { AccountMark, LinkPurpose } from './people-store.ts';

interface OwnerTable {
  account_id: string;
  /** As its owner wrote it. */
  email: string;
  /** What two ways to write one address have in common; unique. */
  email_key: string;
  since: Whole;
  /** 1: mails about the month's budget are wanted. */
  usage_mails: ColumnType<bigint, bigint | number | undefined, bigint | number>;
  /** 1: a sign-in link needs a passkey beside it. */
  second_factor: ColumnType<bigint, bigint | number | undefined, bigint | number>;
}

interface LinkTable {
  hash: string;
  purpose: LinkPurpose;
  /** Whom it was sent to; null of a claim, which is handed over by hand. */
  email: string | null;
  email_key: string | null;
  /** The account it is about; null: the one its address owns, or a new one. */
  account_id: string | null;
  /** The neighbourhood of who asked for it; null: the operator did. */
  asked_from: string | null;
  created_at: Whole;
  expires_at: Whole;
  used_at: WholeOrNull;
  /** The address that the reader is asked to approve. */
  new_email: string | null;
  new_email_key: string | null;
}

/** A row is written first by whoever counts for this address or mailbox: others wait, and then see what was done. */
interface PeopleTurnTable {
  who: string;
  at: Whole;
}

interface SessionTable {
  id: string;
  hash: string;
  account_id: string;
  /** In words, such as "Firefox on Linux". */
  browser: string;
  created_at: Whole;
  expires_at: Whole;
  last_used_at: Whole;
}

/** Accounts that came to be by a sign-in, for a day. */
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

/** Of an account, each once. */
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
