/** Reports what the running service learned after a command asked a provider for a change. */

import { paymentStateAt } from '@tapeloom/core/entitlement/payment';
import type { OrderRecord } from '@tapeloom/server/accounts/orders/orders-store';
import type { AccountStore } from '@tapeloom/server/accounts/store/account-store';
import type { OperatorCall } from '../accounts/operator-command.ts';
import { ExitCode } from '../exit-codes.ts';
import { orderJson } from './order-view.ts';
import { waitedText, waitForService } from './service-wait.ts';

export interface AskedChange {
  /** The order before the change. */
  readonly order: OrderRecord;
  /** The event that settles once the service knows the outcome. */
  readonly event: string;
  readonly waitMs: number | undefined;
}

export async function tellAfterwards(
  operator: OperatorCall,
  store: AccountStore,
  { order: before, event, waitMs }: AskedChange,
  what: string | null = null,
): Promise<number> {
  const { data, now, tell } = operator;
  const hasHeard = async () => {
    const [asked] = await store.orders.findEvents({ id: event });
    return asked?.state === 'done';
  };
  const waited = await waitForService(operator, hasHeard, waitMs);
  const isDone = waited === 'done';
  const after = (await store.orders.findOrder(null, before.id))!;
  const states = `${paymentStateAt(before, now)} → ${paymentStateAt(after, now)}`;
  const change = isDone ? states : `done at ${before.provider}`;
  tell(
    { ...orderJson(after, now), isDone },
    `${before.id}: ${change}${what === null ? '' : `, ${what}`}\n${waitedText(waited, data)}`,
  );
  return isDone ? ExitCode.ok : ExitCode.notNow;
}
