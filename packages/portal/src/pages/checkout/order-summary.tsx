/** The order before it is placed: the offer, its price, its renewal, and what changes with it. */

import type { ComponentChildren } from 'preact';
import type { AccountView, OfferId } from '../../api/portal-shapes.ts';
import { Icon } from '../../components/icon.tsx';
import { dayText, millisecondsOf } from '../../components/time-text.ts';
import type { BothStep } from '../plans/both-offers.ts';
import { changeOf, limitsOf, offerName, planWith, priceText } from '../plans/plan-facts.ts';
import type { Shop } from '../plans/use-shop.ts';
import { countryName } from './billing-country.ts';
import { monthAfter } from './month-after.ts';

export function OrderSummary(props: {
  readonly shop: Shop;
  readonly account: AccountView;
  readonly offer: OfferId;
  readonly country: string;
  /** The steps of an order for both offers. */
  readonly steps: readonly BothStep[] | null;
  /** The button, and its error. */
  readonly children: ComponentChildren;
}) {
  const { shop, account, offer, country, steps } = props;
  const name = offerName(shop.offers, offer);
  const { amount, per } = priceText(shop.pricing, offer);
  const isMonthly = per !== 'once';
  const held = shop.offers.plans.find(({ id }) => id === account.plan)!.offers;
  const { gains, losses } = changeOf(
    limitsOf(shop.offers, account.plan),
    limitsOf(shop.offers, planWith(shop.offers, [...held.filter((id) => id !== offer), offer])),
  );
  const next = dayText(monthAfter(millisecondsOf(account.serverTime)));
  const { taxIncluded } = shop.pricing;
  const place = country === '' ? '' : `, ${countryName(country)}`;
  return (
    <aside class="card summary" aria-label="Order">
      <div class="card-head">
        <h2>{steps === null ? 'Your order' : `Your order, ${placeText(steps)}`}</h2>
      </div>
      <div class="card-body">
        <div class="sum-row">
          <span>
            {name}, {isMonthly ? 'monthly' : 'once'}
          </span>
          <span>{amount}</span>
        </div>
        <div class="sum-row muted">
          <span>Tax{place}</span>
          <span>{taxIncluded ? 'included' : 'on the next page'}</span>
        </div>
        <div class="sum-row total">
          <span>Due today</span>
          <span>{taxIncluded ? amount : `${amount} + tax`}</span>
        </div>
        <p class="small faint">
          {isMonthly
            ? `You pay the same on ${next} and every month after that. Cancel at any time; your access stays until the end of the month you paid for.`
            : 'You pay once, for life. Nothing is charged again.'}
        </p>
        <NextOrder shop={shop} steps={steps} />
        <ul class="gains">
          {gains.map((text) => (
            <li key={text}>
              <Icon name="check" />
              {text}
            </li>
          ))}
          {losses.map((text) => (
            <li key={text} class="loss">
              <Icon name="info" />
              {text}
            </li>
          ))}
        </ul>
        {props.children}
        <p class="tiny faint pay-note">
          You order on the provider’s page, where you see the total again. {name} becomes active
          when the provider confirms, usually within seconds.
        </p>
      </div>
    </aside>
  );
}

/** `1 of 2` */
function placeText(steps: readonly BothStep[]): string {
  return `${steps.findIndex(({ state }) => state === 'now') + 1} of ${steps.length}`;
}

function NextOrder(props: { readonly shop: Shop; readonly steps: readonly BothStep[] | null }) {
  const next = props.steps?.find(({ state }) => state === 'next');
  if (next === undefined) return null;
  const { amount, per } = priceText(props.shop.pricing, next.offer);
  return (
    <p class="small muted next-order">
      Next, as order 2 of 2: {offerName(props.shop.offers, next.offer)}, {amount} {per}.
    </p>
  );
}
