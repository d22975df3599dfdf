/** Billing: what the account holds and what comes next, ways to cancel, and every order. */

import './orders.css';
import { PLAN_NAMES } from '@tapeloom/core/entitlement/plan';
import { useEffect, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { portalApi } from '../../api/portal-api.ts';
import type { OrderView } from '../../api/portal-shapes.ts';
import { useAction } from '../../api/use-action.ts';
import { Button, ButtonLink } from '../../components/button.tsx';
import { Card } from '../../components/card.tsx';
import { Money } from '../../components/money.tsx';
import { ErrorNotice, Notice } from '../../components/notice.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import { showToast } from '../../components/toast.tsx';
import { WhenLoaded } from '../../components/when-loaded.tsx';
import { PageHead } from '../../shell/page-head.tsx';
import { countryName } from '../checkout/billing-country.ts';
import { type Holding, holdingOf } from '../plans/holding.ts';
import { OtherHalf } from '../plans/other-half.tsx';
import { offerName } from '../plans/plan-facts.ts';
import { type OwnShopProps, useOwnShop } from '../plans/use-shop.ts';
import { withdrawnText, withdrawWord } from '../withdraw/withdraw-words.ts';
import { ProviderPageButton, UnpaidActs } from './order-buttons.tsx';
import { CancelDialog } from './order-dialogs.tsx';
import { cancelledText, cancelWord, holdingSentence, keepWord, stateWord } from './order-words.ts';
import { ReceiptsCard } from './receipts-card.tsx';
import { ReturnNotice } from './return-notice.tsx';
import { useWatchedOrder } from './use-watched-order.ts';

export function OrdersPage() {
  const loaded = useOwnShop();
  const { shop, reload } = loaded;
  const returned = useLocation().query.order ?? null;
  const watched = useWatchedOrder(returned);
  const isDecided = watched.t === 'decided';
  useEffect(() => {
    if (isDecided) reload();
  }, [isDecided]);
  return (
    <>
      <PageHead title="Billing" />
      {returned !== null && shop !== null && (
        <ReturnNotice watched={watched} offers={shop.offers} />
      )}
      <WhenLoaded
        loaded={loaded}
        loading="Your orders are loading"
        lines={4}
        failed="Your orders did not load"
        note="Everything you bought stays active."
      >
        {(own) => <Billing {...own} reload={reload} />}
      </WhenLoaded>
    </>
  );
}

function Billing(props: OwnShopProps) {
  const { account, shop } = props;
  const held = shop.offers.offers.flatMap(({ id, name }) => {
    const holding = holdingOf(id, account, shop.orders);
    return holding === null ? [] : [{ id, name, holding }];
  });
  return (
    <div class="stack">
      <OtherHalf />
      <Card
        title={PLAN_NAMES[account.plan]}
        aside={
          <ButtonLink size="sm" href="/plans">
            {held.length === 0 ? 'See plans' : 'Compare plans'}
          </ButtonLink>
        }
        body="card-body stack"
      >
        {held.length === 0 && (
          <p>You have the sandbox. It is free, it does not end, and nothing is charged.</p>
        )}
        {held.map(({ id, name, holding }) => (
          <HeldOffer key={id} name={name} holding={holding} {...props} />
        ))}
      </Card>
      <Orders shop={shop} reload={props.reload} />
      <ReceiptsCard orders={shop.orders} nameOf={({ offer }) => offerName(shop.offers, offer)} />
    </div>
  );
}

function HeldOffer(props: OwnShopProps & { readonly name: string; readonly holding: Holding }) {
  const { name, holding, reload } = props;
  const [isAsked, setIsAsked] = useState(false);
  const close = () => setIsAsked(false);
  const order = holding.by === 'order' ? holding.order : null;
  const wayOut = order === null ? null : cancelWord(order, name);
  const wayBack = order === null ? null : keepWord(order, name);
  const keep = useAction(async (kept: OrderView) => {
    await portalApi.keepOrder(kept.id);
    reload();
    showToast(`${name} renews again.`);
  });
  return (
    <div class="held">
      <HeldSentence name={name} holding={holding} />
      {order !== null && (
        <div class="held-acts">
          {order.state === 'past_due' && <ProviderPageButton order={order} />}
          {(wayOut ?? wayBack) !== null && (
            // One button for both actions, so that it keeps the focus when it changes.
            <Button
              size="sm"
              busy={wayOut === null && keep.isBusy && 'Taking it back'}
              onClick={() => (wayOut === null ? void keep.run(order) : setIsAsked(true))}
            >
              {wayOut ?? wayBack}
            </Button>
          )}
          {order.state !== 'past_due' && <ProviderPageButton order={order} />}
          <WithdrawLink order={order} />
        </div>
      )}
      <ErrorNotice title="Nothing was changed." error={keep.error} />
      {isAsked && order !== null && (
        <CancelDialog
          order={order}
          name={name}
          onClose={close}
          onDone={(after) => {
            close();
            reload();
            showToast(cancelledText(after, name));
          }}
        />
      )}
    </div>
  );
}

/** Shown beside each order with a right of withdrawal. */
function WithdrawLink({ order }: { readonly order: OrderView }) {
  const word = withdrawWord(order);
  if (word === null) return null;
  return (
    <ButtonLink size="sm" href={`/withdraw?order=${order.id}`}>
      {word}
    </ButtonLink>
  );
}

function HeldSentence(props: { readonly name: string; readonly holding: Holding }) {
  const sentence = holdingSentence(props.name, props.holding);
  const isFailing = props.holding.by === 'order' && props.holding.order.state === 'past_due';
  if (!isFailing) return <p>{sentence}</p>;
  return (
    <Notice kind="danger" title={sentence}>
      The provider tries again automatically. If you have a new card, update it.
    </Notice>
  );
}

function Orders({ shop, reload }: Pick<OwnShopProps, 'shop' | 'reload'>) {
  const nameOf = ({ offer }: OrderView) => offerName(shop.offers, offer);
  if (shop.orders.length === 0) {
    return (
      <section class="card empty">
        <h2>No orders yet</h2>
        <p>Your orders appear here, with the price and the text you agreed to.</p>
        <ButtonLink href="/plans">See plans</ButtonLink>
      </section>
    );
  }
  return (
    <Card title="Orders">
      <Table
        caption="Orders, newest first"
        columns={orderColumns(nameOf, reload)}
        rows={shop.orders}
        rowKey={({ id }) => id}
        rowClass={({ state }) => (state === 'failed' ? 'faint' : undefined)}
      />
    </Card>
  );
}

function orderColumns(
  nameOf: (order: OrderView) => string,
  reload: () => void,
): readonly Column<OrderView>[] {
  return [
    {
      label: 'Order',
      cell: (order) => (
        <>
          {nameOf(order)}
          <code class="tiny faint order-id">{order.id}</code>
        </>
      ),
    },
    { label: 'Ordered', cell: ({ createdAt }) => <Time at={createdAt} form="minute" /> },
    {
      label: 'Paid',
      cell: ({ paidAt }) => (paidAt === null ? '–' : <Time at={paidAt} form="minute" />),
    },
    {
      label: 'Paid until',
      cell: ({ paidUntil, paidAt }) => {
        if (paidUntil !== null) return <Time at={paidUntil} form="day" />;
        return paidAt === null ? '–' : 'For life';
      },
    },
    {
      label: 'Billed to',
      cell: ({ country, billTo }) => (
        <span>
          {billTo === null ? countryName(country) : <bdi>{billTo.name}</bdi>}
          {billTo !== null && <span class="tiny faint order-id">{countryName(country)}</span>}
        </span>
      ),
    },
    {
      label: 'Price',
      isRight: true,
      cell: ({ amountMinor, currency, interval, taxIncluded }) => (
        <span>
          <Money amountMinor={amountMinor} currency={currency} />
          {interval === null ? '' : ' a month'}
          <span class="tiny faint order-id">{taxIncluded ? 'tax included' : 'plus tax'}</span>
        </span>
      ),
    },
    {
      label: 'State',
      cell: (order) => {
        const { word, kind } = stateWord(order);
        return (
          <div>
            <span class={kind === 'plain' ? 'badge' : `badge ${kind}`}>{word}</span>
            {order.withdrawn !== null && (
              <span class="small muted order-note">{withdrawnText(order)}</span>
            )}
            {withdrawWord(order) !== null && (
              <a class="small order-note" href={`/withdraw?order=${order.id}`}>
                Withdraw from contract
              </a>
            )}
            <UnpaidActs order={order} onDone={reload} />
          </div>
        );
      },
    },
  ];
}
