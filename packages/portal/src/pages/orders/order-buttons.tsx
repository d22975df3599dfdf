/** Actions on an order at its payment provider: changing the card, and giving up an unpaid checkout. */

import { portalApi } from '../../api/portal-api.ts';
import type { OrderView } from '../../api/portal-shapes.ts';
import { useAction } from '../../api/use-action.ts';
import { ActionButton, ButtonLink } from '../../components/button.tsx';
import { ErrorNotice } from '../../components/notice.tsx';
import { showToast } from '../../components/toast.tsx';

/** For running subscriptions; a single payment has no card to charge again. */
export function ProviderPageButton(props: { readonly order: OrderView }) {
  const { order } = props;
  const open = useAction(async () => {
    const { url } = await portalApi.providerPortal(order.id);
    location.assign(url);
  });
  const isRunning = ['paid', 'past_due', 'cancelled'].includes(order.state);
  if (order.interval === null || !isRunning) return null;
  const isDeclined = order.state === 'past_due';
  return (
    <>
      <ActionButton
        size="sm"
        kind={isDeclined ? 'primary' : 'secondary'}
        action={open}
        busy="Opening"
      >
        {isDeclined ? 'Update card' : 'Update card or address'}
      </ActionButton>
      <ErrorNotice title="The provider's page did not open." error={open.error} />
    </>
  );
}

/** Paying first, giving up second. An order with a pending bank payment can only be withdrawn from. */
export function UnpaidActs(props: { readonly order: OrderView; readonly onDone: () => void }) {
  const { order, onDone } = props;
  const drop = useAction(async () => {
    await portalApi.dropOrder(order.id);
    onDone();
    showToast('The order is given up. Nothing was charged.');
  });
  if (order.state !== 'open') return null;
  return (
    <span class="order-acts">
      {order.payUrl !== null && (
        <ButtonLink kind="primary" size="sm" href={order.payUrl}>
          Pay<span class="visually-hidden"> order {order.id}</span>
        </ButtonLink>
      )}
      <ActionButton size="sm" action={drop} busy="Giving it up">
        Give up<span class="visually-hidden"> order {order.id}</span>
      </ActionButton>
      <ErrorNotice title="Nothing was changed." error={drop.error} />
      {drop.error !== null && order.withdrawal !== null && (
        <a class="small order-note" href={`/withdraw?order=${order.id}`}>
          Withdraw from contract
        </a>
      )}
    </span>
  );
}
