/** A buyer who withdraws, and the service's later processing. */

import type { OrderRecord } from '../../src/accounts/orders/orders-store.ts';
import { type BillingRig, MINUTE_NS } from './billing-rig.ts';

export const HOUR_NS = 60n * MINUTE_NS;

export interface Buyer {
  readonly rig: BillingRig;
  readonly accountId: string;
  readonly order: OrderRecord;
}

export async function buyer(rig: BillingRig, offer: 'live' | 'history' = 'live'): Promise<Buyer> {
  const accountId = await rig.account();
  const email = `${accountId}@example.com`;
  const call = { now: rig.now, actor: { kind: 'operator' } } as const;
  await rig.store.people.setOwner(call, accountId, { email, key: email.toLowerCase() });
  return { rig, accountId, order: await rig.bought(accountId, { offer }) };
}

export async function withdraw({ rig, accountId, order }: Buyer) {
  const wish = { accountId, orderId: order.id, sessionId: 'ses_1', address: '192.0.2.9' };
  const declared = await rig.billing.withdrawals.declare({ ...wish, name: 'Ada Lovelace' });
  await rig.billing.withdrawals.idle();
  return declared;
}

export async function withdrawalOf({ rig, order }: Buyer) {
  return (await rig.store.withdrawals.withdrawalOf(order))!;
}

export async function passAndCarryOut(rig: BillingRig, ns: bigint): Promise<void> {
  rig.pass(ns);
  await rig.billing.withdrawals.carryOut();
}
