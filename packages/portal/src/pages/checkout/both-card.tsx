/** Both offers as two consecutive orders, with the state of each. */

import { ButtonLink } from '../../components/button.tsx';
import { Card } from '../../components/card.tsx';
import { Icon } from '../../components/icon.tsx';
import type { BothStep } from '../plans/both-offers.ts';
import { offerName, offerText, priceText } from '../plans/plan-facts.ts';
import type { Shop } from '../plans/use-shop.ts';

const STATE_WORDS = { done: 'Yours', now: 'This order', next: 'Next' } as const;

export function BothCard(props: { readonly shop: Shop; readonly steps: readonly BothStep[] }) {
  const { shop, steps } = props;
  const now = steps.findIndex(({ state }) => state === 'now');
  return (
    <Card
      title={`Both, order ${now + 1} of ${steps.length}`}
      aside={
        now === 0 && (
          <ButtonLink kind="ghost" size="sm" href={`/checkout?offer=${steps[now]!.offer}`}>
            Order only one
          </ButtonLink>
        )
      }
      body="card-body stack"
    >
      <p class="small muted">
        You pay for one once and for the other every month, so they are two orders. You can stop
        after the first and place the second later.
      </p>
      <ol class="both-steps">
        {steps.map(({ offer, state }, index) => {
          const { amount, per } = priceText(shop.pricing, offer);
          return (
            <li key={offer} class={state} aria-current={state === 'now' ? 'step' : undefined}>
              <span class="both-mark" aria-hidden="true">
                {state === 'done' ? <Icon name="check" /> : index + 1}
              </span>
              <div>
                <b>{offerName(shop.offers, offer)}</b>
                <span class="badge">{STATE_WORDS[state]}</span>
                <p class="small muted">{offerText(shop.offers, offer)}</p>
              </div>
              <span class="both-price">
                <b class="num">{amount}</b> {per}
              </span>
            </li>
          );
        })}
      </ol>
    </Card>
  );
}
