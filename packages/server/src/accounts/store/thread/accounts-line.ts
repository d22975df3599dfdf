/**
 * Whose turn a call to the store is. What a customer wants done waits in the row of its account; who is not
 * recognised yet waits with all others who are not, so that strangers together have the turn of one
 * account; but each has a place of his own, so that a newcomer finds one. What the service itself must get
 * done goes first: charges and what gives them back, because whoever was let in is charged, and what keeps
 * the store in order. There is no more of it than reservations that were granted, connections, and a few
 * timers.
 */

import type { AccountStore } from '../account-store.ts';
import type { StoreMethod } from './accounts-wire.ts';

/** No account and no key has this id. */
const STRANGERS = 'strangers';

export interface Waiting {
  /** Those of a row take turns with the other rows. */
  readonly row: string;
  /** Whose place it takes. */
  readonly holder: string;
}

type Args<M extends StoreMethod> = Parameters<AccountStore[M]>;

/** The account it is done for, or where it waits; null: it goes first. */
type Whose<M extends StoreMethod> = (...args: Args<M>) => string | Waiting | null;

const first = () => null;
const stranger = (digest: string): Waiting => ({ row: STRANGERS, holder: digest });

const WHOSE: { readonly [M in StoreMethod]: Whose<M> } = {
  createAccount: first,
  findAccount: first,
  listAccounts: first,
  setGrants: first,
  setSuspended: first,
  findKey: stranger,
  // Without an account the service asks for itself: whether a key that somebody holds on to goes on.
  findKeyById: (accountId) => accountId,
  listKeys: (_now, accountId) => accountId,
  createKey: (_call, accountId) => accountId,
  rotateKey: (_call, accountId) => accountId,
  revokeKey: (_call, accountId) => accountId,
  touchKeys: first,
  // An account has ten valid keys at most, and so ten rows.
  issueToken: (_now, { keyId }) => keyId,
  issueSessionToken: (_now, accountId) => accountId,
  consumeToken: (_now, digest) => stranger(digest),
  reserve: (_now, { accountId }) => accountId,
  settle: first,
  settleOnce: first,
  findOnce: (_now, { accountId }) => accountId,
  voidReservation: first,
  addUsage: first,
  usageOf: (_now, accountId) => accountId,
  usageByKey: (accountId) => accountId,
  usageByNamedKey: (accountId) => accountId,
  usageMonths: (accountId) => accountId,
  usageDays: (accountId) => accountId,
  sweep: first,
  audit: first,
  probe: first,
};

/**
 * In the store's parts the first argument that is a text is the account, or the digest or address of somebody who
 * is a stranger still; one that has none is of the service itself.
 */
export function waitingInPart(args: readonly unknown[]): Waiting | null {
  const whose = args.find((it) => typeof it === 'string');
  if (whose === undefined) return null;
  return whose.startsWith('acc_') ? { row: whose, holder: whose } : stranger(whose);
}

/** Null: it goes first, and is never refused. */
export function waitingOf<M extends StoreMethod>(method: M, args: Args<M>): Waiting | null {
  const whose = (WHOSE[method] as Whose<M>)(...args);
  return typeof whose === 'string' ? { row: whose, holder: whose } : whose;
}
