/**
 * What an operator can have an order's payment provider do. The command calls Stripe and Paddle itself, with the
 * configured keys. The provider `test` lives in the running service, so the service performs the calls.
 */

import type { OrderRecord } from '@tapeloom/server/accounts/orders/orders-store';
import { AskedProvider } from '@tapeloom/server/billing/asked-provider';
import { openPaddle, openStripe } from '@tapeloom/server/billing/open-adapters';
import type {
  PaymentProvider,
  Receipt,
  RefundOutcome,
  RefundWish,
} from '@tapeloom/server/billing/payment-provider';
import { createLog } from '@tapeloom/server/platform/log/log';
import { createClock } from '@tapeloom/server/platform/system-clock';
import { askTestProvider } from '@tapeloom/server/test-provider/ask-test-provider';
import { portalOrigin } from '../accounts/portal-address.ts';
import type { CommandIo } from '../command.ts';
import { configOf } from '../command-config.ts';

export interface OrderProvider {
  /** Newest first; null: the provider cannot list charges for us. */
  receipts(): Promise<readonly Receipt[] | null>;
  cancel(isNow: boolean): Promise<void>;
  refund(wish: RefundWish): Promise<RefundOutcome>;
}

export async function openOrderProvider(
  io: CommandIo,
  data: string,
  order: OrderRecord,
): Promise<OrderProvider> {
  if (order.provider === 'test') return testProvider(data, order);
  const provider = await openProvider(io, data, order.provider);
  if (provider === null) {
    const variable = `TAPELOOM_${order.provider.toUpperCase()}_KEY`;
    throw new Error(
      `${order.id} was paid with ${order.provider}, but ${variable} is not set here. Run the command with the settings of the service`,
    );
  }
  const asked = new AskedProvider(provider, createClock({ kind: 'system' }));
  return {
    receipts: () => asked.receipts(order),
    cancel: (isNow) => (isNow ? asked.cancelNow(order.ref) : asked.cancelAtPeriodEnd(order, true)),
    refund: async (wish) => {
      // Without idempotency keys at the provider, an earlier refund of this request is looked up first.
      const found = asked.hasRefundKeys ? null : await asked.findRefund(order, wish.key);
      return found ?? (await asked.refund(order, wish));
    },
  };
}

async function openProvider(
  io: CommandIo,
  data: string,
  name: string,
): Promise<PaymentProvider | null> {
  const config = configOf(io);
  const clock = createClock({ kind: 'system' });
  const log = createLog({ level: 'silent', readable: false, write: () => undefined });
  if (name === 'stripe') return await openStripe(config, clock, log);
  if (name === 'paddle')
    return await openPaddle(config, () => portalOrigin(undefined, io, data), clock, log);
  return null;
}

function testProvider(data: string, { id: orderId }: OrderRecord): OrderProvider {
  const play = async (action: string) => {
    const answer = await askTestProvider(
      data,
      { action, orderId },
      createClock({ kind: 'system' }),
    );
    if ('refused' in answer) throw new Error(answer.refused);
  };
  return {
    receipts: async () => null,
    cancel: (isNow) => play(isNow ? 'end' : 'cancel'),
    refund: async ({ amountMinor }) => {
      if (amountMinor !== null) throw new Error('the provider test refunds whole charges only');
      await play('refund');
      return 'done';
    },
  };
}
