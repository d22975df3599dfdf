/**
 * What an account has of each offer, by its grants and orders. A grant without an end, or by an order that runs, is
 * held and cannot be bought again; what was granted for a while, as a trial, can be.
 */

import type { AccountView, OfferId, OrderView } from '../../api/portal-shapes.ts';

export type Holding =
  /** By an order that is paid, will end, or waits for its renewal. `until`: when rights end; null: they go on. */
  | { readonly by: 'order'; readonly order: OrderView; readonly until: string | null }
  /** Given by the operator, for good. */
  | { readonly by: 'gift' }
  /** Given by the operator, for a while. */
  | { readonly by: 'trial'; readonly until: string };

const RUNNING: readonly OrderView['state'][] = ['paid', 'past_due', 'cancelled'];

/** Null: nothing of it. */
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

/** Null: at least one of them never ends. */
function latest(ends: readonly (string | null)[]): string | null {
  if (ends.includes(null)) return null;
  return ends.reduce((a, b) => (BigInt(a!) > BigInt(b!) ? a : b)) ?? null;
}
