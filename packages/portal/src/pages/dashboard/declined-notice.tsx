/** A declined renewal, shown on the first page, with a link for changing the card. */

import { portalApi } from '../../api/portal-api.ts';
import type { OrderView } from '../../api/portal-shapes.ts';
import { type Loaded, useLoaded } from '../../api/use-loaded.ts';
import { Notice } from '../../components/notice.tsx';
import { ProviderPageButton } from '../orders/order-buttons.tsx';
import { declinedSentence } from '../orders/order-words.ts';

export interface Declined {
  readonly order: OrderView;
  /** The offer's name. */
  readonly name: string;
}

export function useDeclined(): Loaded<Declined | null> {
  return useLoaded(async (signal) => {
    const [{ orders }, { offers }] = await Promise.all([
      portalApi.orders({ signal }),
      portalApi.offers({ signal }),
    ]);
    const declined = orders.find(({ state }) => state === 'past_due');
    if (declined === undefined) return null;
    return { order: declined, name: offers.find(({ id }) => id === declined.offer)?.name ?? '' };
  }, 'declined');
}

export function DeclinedNotice({ order, name }: Declined) {
  return (
    <Notice
      kind="danger"
      title={declinedSentence(name, order, order.endsAt)}
      action={<ProviderPageButton order={order} />}
    >
      The provider tries again automatically. If your card expired or was replaced, update it.
    </Notice>
  );
}
