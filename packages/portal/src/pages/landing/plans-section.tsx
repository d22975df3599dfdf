/**
 * Plans with their limits and prices. The limits are in the HTML; prices are requested, because the operator sets them.
 * A price takes the same space before and after it arrives.
 */

import { PLAN_LIMITS, PLAN_NAMES } from '@tapeloom/core/entitlement/plan';
import { portalApi } from '../../api/portal-api.ts';
import type { Plan, PricingView } from '../../api/portal-shapes.ts';
import { type Loaded, useLoaded } from '../../api/use-loaded.ts';
import { ButtonLink } from '../../components/button.tsx';
import { type LimitRow, limitRows, PLAN_WORDS, type PlanWords, priceWords } from './plan-words.ts';

export function PlansSection() {
  const pricing = useLoaded((signal) => portalApi.pricing({ signal }));
  // Without a response, the limits of the build remain.
  const offers = useLoaded((signal) => portalApi.offers({ signal }));
  const limits = (plan: Plan) =>
    offers.value?.plans.find(({ id }) => id === plan)?.limits ?? PLAN_LIMITS[plan];
  return (
    <>
      <div class="plans">
        <div class="plans-intro">
          <h2 class="title">Pay for live data, history, or both</h2>
          <p class="lead">Limits apply to the whole account, across all its keys.</p>
        </div>
        <div class="plans-cards">
          {PLAN_WORDS.map((words) => (
            <PlanCard key={words.id} words={words} pricing={pricing} />
          ))}
        </div>
      </div>
      <Limits rows={limitRows(limits)} />
      <p class="small faint foot-note">
        One compute unit is one past trade read by one indicator. A live subscription uses none.
        Estimates are free.{' '}
        {pricing.value !== null &&
          (pricing.value.taxIncluded ? 'Prices include VAT.' : 'Prices without VAT.')}
      </p>
    </>
  );
}

function PlanCard(props: { readonly words: PlanWords; readonly pricing: Loaded<PricingView> }) {
  const { words, pricing } = props;
  const isBest = words.id === 'live_history';
  const price = priceWords(words.id, pricing.value);
  return (
    <article class={isBest ? 'plan best' : 'plan'}>
      <h3>{PLAN_NAMES[words.id]}</h3>
      <div class="price">
        {price === null ? <NoPrice hasFailed={pricing.error !== null} /> : price.price}
      </div>
      <div class="per">{price?.per}</div>
      <p>{words.text}</p>
      <ButtonLink kind={isBest ? 'primary' : 'secondary'} isBlock href={words.href}>
        {words.action}
      </ButtonLink>
    </article>
  );
}

function NoPrice({ hasFailed }: { readonly hasFailed: boolean }) {
  if (hasFailed) return <span class="small faint">Prices could not be loaded</span>;
  return <span class="price-place" />;
}

function Limits({ rows }: { readonly rows: readonly LimitRow[] }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it.
    <section class="table-scroll limits" tabIndex={0} aria-label="Limits by plan">
      <table>
        <caption class="visually-hidden">Limits by plan</caption>
        <colgroup>
          <col class="col-label" />
          <col span={4} />
        </colgroup>
        <thead>
          <tr>
            <th scope="col">Limits per account</th>
            {PLAN_WORDS.map(({ id }) => (
              <th key={id} scope="col">
                {PLAN_NAMES[id]}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ label, values, isBest }) => (
            <tr key={label}>
              <th scope="row">{label}</th>
              {values.map((value, index) => (
                <td key={PLAN_WORDS[index]?.id} class={value === null ? 'none' : undefined}>
                  {isBest[index] ? <b>{value}</b> : (value ?? 'None')}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
