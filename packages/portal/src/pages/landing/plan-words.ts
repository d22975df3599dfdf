/** Plans in words: purpose, price, and limits as table rows. */

import { HISTORY_DAYS_ALL, PLANS } from '@tapeloom/core/entitlement/plan';
import type { OfferId, Plan, PlanLimits, PricingView } from '../../api/portal-shapes.ts';
import { bytesText, exactNumber, moneyText, proseNumber } from '../../components/number-text.ts';

export interface PlanWords {
  readonly id: Plan;
  readonly text: string;
  readonly action: string;
  readonly href: string;
}

export const PLAN_WORDS: readonly PlanWords[] = [
  {
    id: 'sandbox',
    text: 'Everything the API can do, 10 minutes late, with the last 7 days.',
    action: 'Get a free key',
    href: '/sign-in?next=/keys',
  },
  {
    id: 'live',
    text: 'Real-time stream for charts and bots. No history. Cancel any time.',
    action: 'Choose Live',
    href: '/checkout?offer=live',
  },
  {
    id: 'history',
    text: 'Every day on the tape, by query or as files. Stream 10 minutes late.',
    action: 'Choose Historical',
    href: '/checkout?offer=history',
  },
  {
    id: 'live_history',
    text: 'Start with history, then join the stream without a gap.',
    action: 'Choose both',
    href: '/checkout?offer=both',
  },
];

export interface PriceWords {
  readonly price: string;
  readonly per: string;
}

/** Null while the price is unknown. */
export function priceWords(plan: Plan, pricing: PricingView | null): PriceWords | null {
  if (plan === 'sandbox') return { price: 'Free', per: 'for as long as you like' };
  if (pricing === null) return null;
  const live = priceOf('live', pricing);
  const history = priceOf('history', pricing);
  if (live === null || history === null) return null;
  const tax = pricing.taxIncluded ? 'tax included' : 'plus tax';
  switch (plan) {
    case 'live':
      return { price: live, per: `a month, ${tax}` };
    case 'history':
      return { price: history, per: `once for life, ${tax}` };
    case 'live_history':
      return { price: `${history} + ${live}`, per: `once + a month, ${tax}` };
    default:
      return plan satisfies never;
  }
}

/** Whole amounts without decimals. */
function priceOf(offer: OfferId, { currency, prices }: PricingView): string | null {
  const found = prices.find((price) => price.offer === offer);
  if (found === undefined) return null;
  return moneyText(found.amountMinor, currency).replace(/\.0+$/, '');
}

export interface LimitRow {
  readonly label: string;
  /** One per plan; null for none. */
  readonly values: readonly (string | null)[];
  /** Whether the plan has the best value. */
  readonly isBest: readonly boolean[];
}

export function limitRows(limitsOf: (plan: Plan) => PlanLimits): readonly LimitRow[] {
  const limits = PLANS.map(limitsOf);
  const row = (
    label: string,
    value: (limits: PlanLimits) => string | null,
    best: (limits: PlanLimits) => boolean = () => false,
  ): LimitRow => ({ label, values: limits.map(value), isBest: limits.map(best) });
  const count = (value: number) => (value === 0 ? null : exactNumber(value));
  return [
    row(
      'Stream',
      ({ delaySeconds }) =>
        delaySeconds === 0 ? 'Real time' : `${delaySeconds / 60}-minute delay`,
      ({ realtime }) => realtime,
    ),
    row('Connections at once', ({ maxConnections }) => count(maxConnections)),
    row('Subscriptions at once', ({ maxSubscriptions }) => count(maxSubscriptions)),
    row('Custom configurations', ({ maxCustomConfigs }) => count(maxCustomConfigs)),
    row(
      'History',
      ({ historyDays: days }) =>
        days === 0 ? null : days >= HISTORY_DAYS_ALL ? 'Full depth' : `Last ${days} days`,
      ({ historyDays }) => historyDays >= HISTORY_DAYS_ALL,
    ),
    row('Compute units a month', ({ computeBudget }) =>
      computeBudget === 0 ? null : proseNumber(computeBudget),
    ),
    row('Export volume a month', ({ exportBytes }) =>
      exportBytes === 0 ? null : bytesText(exportBytes),
    ),
    row('REST requests a minute', ({ restPerMinute }) => count(restPerMinute)),
  ];
}
