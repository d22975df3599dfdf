/**
 * The queue of each call to the store. A customer's call queues in the row of its account. Callers that are not
 * recognised yet share one row, so that together they get the share of one account. Each is its own holder, so a
 * newcomer finds a slot. The service's own work goes first: charges and their release, since every admitted caller must
 * be charged, and upkeep of the store. Granted reservations, connections and a few timers bound its amount.
 */

import type { AccountStore } from '../account-store.ts';
import type { StoreMethod } from './accounts-wire.ts';

/** No account or key has this id. */
const STRANGERS = 'strangers';

export interface Waiting {
  /** Rows share the store in round robin. */
  readonly row: string;
  /** The holder whose slot it takes. */
  readonly holder: string;
}

type Args<M extends StoreMethod> = Parameters<AccountStore[M]>;

/** The account of the call, or its row and holder; null: it goes first. */
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
  // Without an account this is the service's own check whether a watched key is still valid.
  findKeyById: (accountId) => accountId,
  listKeys: (_now, accountId) => accountId,
  createKey: (_call, accountId) => accountId,
  rotateKey: (_call, accountId) => accountId,
  revokeKey: (_call, accountId) => accountId,
  touchKeys: first,
  // An account has ten valid keys at most, and so at most ten rows.
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
 * In the store's parts the first text argument is the account, or the digest or address of a caller that is not
 * recognised yet. A call without one is the service's own.
 */
export function waitingInPart(args: readonly unknown[]): Waiting | null {
  const whose = args.find((it) => typeof it === 'string');
  if (whose === undefined) return null;
  return whose.startsWith('acc_') ? { row: whose, holder: whose } : stranger(whose);
}

/** Null: it goes first and is never rejected. */
export function waitingOf<M extends StoreMethod>(method: M, args: Args<M>): Waiting | null {
  const whose = (WHOSE[method] as Whose<M>)(...args);
  return typeof whose === 'string' ? { row: whose, holder: whose } : whose;
}
