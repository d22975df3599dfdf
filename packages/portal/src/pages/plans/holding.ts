/**
 * What an account holds of each offer, by its grants and orders. A grant without an end or from a running order cannot
 * be bought again; a temporary grant, such as a trial, can.
 */

import type { AccountView, OfferId, OrderView } from '../../api/portal-shapes.ts';

export type Holding =
  /** From a running order, possibly cancelled or due for renewal. `until`: the end of the rights; null: none. */
  | { readonly by: 'order'; readonly order: OrderView; readonly until: string | null }
  /** Granted by the operator, permanently. */
  | { readonly by: 'gift' }
  /** Granted by the operator, temporarily. */
  | { readonly by: 'trial'; readonly until: string };

const RUNNING: readonly OrderView['state'][] = ['paid', 'past_due', 'cancelled'];

/** Null: the account holds nothing of it. */
export function holdingOf(
  offer: OfferId,
  account: Pick<AccountView, 'grants' | 'serverTime'>,
  orders: readonly OrderView[],
): Holding | null {
  const now = BigInt(account.serverTime);
  const grants = account.grants.filter(
    ({ plan, until }) => plan === offer && (until === null || BigInt(until) > now),
  );
  if (grants.length === 0) return null;
  const order = orders.find((one) => one.offer === offer && RUNNING.includes(one.state));
  const ends = grants.map(({ until }) => until);
  if (order !== undefined) return { by: 'order', order, until: latest(ends) };
  const until = latest(ends);
  return until === null ? { by: 'gift' } : { by: 'trial', until };
}

export function isBuyable(holding: Holding | null): boolean {
  return holding === null || holding.by === 'trial';
}

/** Null: at least one never ends. */
function latest(ends: readonly (string | null)[]): string | null {
  if (ends.includes(null)) return null;
  return ends.reduce((a, b) => (BigInt(a!) > BigInt(b!) ? a : b)) ?? null;
}
