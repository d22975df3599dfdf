/** The plans: every combination of offers, with what the account holds of them. */

import './plans.css';
import { PLAN_NAMES } from '@tapeloom/core/entitlement/plan';
import type { AccountView, OfferId, Plan } from '../../api/portal-shapes.ts';
import { ButtonLink } from '../../components/button.tsx';
import { Icon } from '../../components/icon.tsx';
import { WhenLoaded } from '../../components/when-loaded.tsx';
import { useAccount } from '../../shell/account-context.tsx';
import { PageHead } from '../../shell/page-head.tsx';
import { checkoutPath } from './both-offers.ts';
import { holdingOf, isBuyable } from './holding.ts';
import { limitLines, limitsOf, offerName, priceText } from './plan-facts.ts';
import { type Shop, useShop } from './use-shop.ts';

const SENTENCES: Readonly<Record<Plan, string>> = {
  sandbox: 'To build and try. No card.',
  live: 'Trades as they happen.',
  history: 'All available history.',
  live_history: 'Both, with the rights of both.',
};

export function PlansPage() {
  const loaded = useAccount();
  const account = loaded?.value ?? null;
  const shop = useShop(loaded !== null);
  return (
    <>
      <PageHead title="Plans">
        {account !== null && <span class="badge">You have: {PLAN_NAMES[account.plan]}</span>}
      </PageHead>
      <WhenLoaded
        loaded={shop}
        loading="The plans are loading"
        lines={4}
        failed="Plans did not load"
        note="Your streams are not affected."
      >
        {(value) => <PlanCards shop={value} account={account} />}
      </WhenLoaded>
    </>
  );
}

function PlanCards(props: { readonly shop: Shop; readonly account: AccountView | null }) {
  const { shop, account } = props;
  const { plans } = shop.offers;
  return (
    <>
      <div class="plan-cards">
        {plans.map(({ id }) => (
          <PlanCard key={id} plan={id} shop={shop} account={account} />
        ))}
      </div>
      <p class="small faint plan-note">
        {shop.pricing.taxIncluded
          ? 'Prices include tax for consumers.'
          : 'Tax is added where it is due, on the payment page.'}{' '}
        Limits apply to the whole account, across all its keys. Months are calendar months in UTC.
      </p>
    </>
  );
}

function PlanCard(props: {
  readonly plan: Plan;
  readonly shop: Shop;
  readonly account: AccountView | null;
}) {
  const { plan, shop, account } = props;
  const { offers: needed } = shop.offers.plans.find(({ id }) => id === plan)!;
  const isMine = account?.plan === plan;
  return (
    <section
      class={isMine ? 'card plan-card mine' : 'card plan-card'}
      aria-label={PLAN_NAMES[plan]}
    >
      <div class="plan-top">
        <h2>{PLAN_NAMES[plan]}</h2>
        {isMine && <span class="badge accent">Your plan</span>}
      </div>
      <div class="plan-price">
        {needed.length === 0 && <b>Free</b>}
        {needed.map((offer) => {
          const { amount, per, tax } = priceText(shop.pricing, offer);
          return (
            <span key={offer}>
              <b class="num">{amount}</b> {per}, {tax}
            </span>
          );
        })}
      </div>
      <p class="small muted">{SENTENCES[plan]}</p>
      <PlanWay needed={needed} shop={shop} account={account} />
      <ul class="plan-lines">
        {limitLines(limitsOf(shop.offers, plan)).map(({ text, has }) => (
          <li key={text} class={has ? undefined : 'none'}>
            <Icon name={has ? 'check' : 'x'} />
            {text}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The way from the present plan to this one. */
function PlanWay(props: {
  readonly needed: readonly OfferId[];
  readonly shop: Shop;
  readonly account: AccountView | null;
}) {
  const { needed, shop, account } = props;
  if (account === null) {
    return needed.length === 0 ? (
      <ButtonLink kind="primary" isBlock href="/sign-in?next=/keys">
        Get a free key
      </ButtonLink>
    ) : (
      <ButtonLink isBlock href={checkoutPath(needed)}>
        {needed.length === 1 ? `Choose ${offerName(shop.offers, needed[0]!)}` : 'Choose both'}
      </ButtonLink>
    );
  }
  const isOpen = (id: OfferId) => isBuyable(holdingOf(id, account, shop.orders));
  const missing = needed.filter(isOpen);
  if (needed.length === 0) return <p class="plan-have">Always included, with test keys</p>;
  const hasMore = shop.offers.offers.some(({ id }) => !isOpen(id) && !needed.includes(id));
  if (hasMore && missing.length > 0) {
    return <p class="plan-have">Adds to what you have</p>;
  }
  if (missing.length === 0) {
    return (
      <p class="plan-have">
        <Icon name="check" />
        Yours
      </p>
    );
  }
  return (
    <ButtonLink isBlock href={checkoutPath(missing)}>
      Add {missing.map((id) => offerName(shop.offers, id)).join(' and ')}
    </ButtonLink>
  );
}
