/** A plan as comparable lines: in the same order for every plan, each meaningful by itself. */

import { HISTORY_DAYS_ALL } from '@tapeloom/core/entitlement/plan';
import type {
  OfferId,
  OffersView,
  Plan,
  PlanLimits,
  PricingView,
  WaiverText,
} from '../../api/portal-shapes.ts';
import {
  bytesText,
  counted,
  exactNumber,
  moneyText,
  proseNumber,
} from '../../components/number-text.ts';

export interface Line {
  readonly text: string;
  /** False: the plan has none of it. */
  readonly has: boolean;
}

export function limitLines(limits: PlanLimits): readonly Line[] {
  const { computeBudget, exportBytes, historyDays } = limits;
  return [
    { text: streamText(limits), has: true },
    { text: counted(limits.maxConnections, 'connection'), has: true },
    { text: counted(limits.maxSubscriptions, 'subscription'), has: true },
    { text: counted(limits.maxCustomConfigs, 'custom configuration'), has: true },
    { text: historyText(historyDays), has: historyDays > 0 },
    {
      text: computeBudget === 0 ? 'No compute units' : `${computeText(limits)} a month`,
      has: computeBudget > 0,
    },
    {
      text: exportBytes === 0 ? 'No exports' : `${bytesText(exportBytes)} of exports a month`,
      has: exportBytes > 0,
    },
    { text: `${exactNumber(limits.restPerMinute)} REST requests a minute`, has: true },
  ];
}

/** What an offer alone adds to the free plan. */
export function offerText(offers: OffersView, id: OfferId): string {
  const free = limitLines(limitsOf(offers, 'sandbox')).map(({ text }) => text);
  const added = limitLines(limitsOf(offers, id)).filter(
    ({ text, has }) => has && !free.includes(text),
  );
  return `${added.map(({ text }) => text).join(', ')}.`;
}

/** What another plan improves and what it removes, in words. */
export interface PlanChange {
  readonly gains: readonly string[];
  readonly losses: readonly string[];
}

export function changeOf(before: PlanLimits, after: PlanLimits): PlanChange {
  const gains: string[] = [];
  if (after.realtime && !before.realtime) {
    gains.push(`Real time instead of ${minutes(before.delaySeconds)} late`);
  }
  const counts = [
    ['maxConnections', 'connection'],
    ['maxSubscriptions', 'subscription'],
    ['maxCustomConfigs', 'custom configuration'],
  ] as const;
  for (const [field, word] of counts) {
    if (after[field] > before[field]) {
      gains.push(`${counted(after[field], word)} instead of ${exactNumber(before[field])}`);
    }
  }
  if (after.historyDays > before.historyDays) {
    const had = historyDaysText(before.historyDays);
    gains.push(`${historyText(after.historyDays)} instead of ${had}`);
  }
  if (after.computeBudget > before.computeBudget) {
    const had = before.computeBudget === 0 ? 'none' : proseNumber(before.computeBudget);
    gains.push(`${computeText(after)} a month instead of ${had}`);
  }
  if (after.exportBytes > before.exportBytes) {
    gains.push(`${bytesText(after.exportBytes)} of exports a month`);
  }
  if (after.restPerMinute > before.restPerMinute) {
    const had = exactNumber(before.restPerMinute);
    gains.push(`${exactNumber(after.restPerMinute)} REST requests a minute instead of ${had}`);
  }
  const losses =
    after.historyDays < before.historyDays
      ? [`No history with live keys. Test keys keep their ${historyDaysText(before.historyDays)}.`]
      : [];
  return { gains, losses };
}

export function limitsOf(offers: OffersView, plan: Plan): PlanLimits {
  return offers.plans.find(({ id }) => id === plan)!.limits;
}

/** The plan that results from these offers. */
export function planWith(offers: OffersView, held: readonly OfferId[]): Plan {
  const isSame = (needed: readonly OfferId[]) =>
    needed.length === new Set(held).size && needed.every((offer) => held.includes(offer));
  return offers.plans.find((plan) => isSame(plan.offers))!.id;
}

export function offerName(offers: OffersView, id: OfferId): string {
  return offers.offers.find((offer) => offer.id === id)?.name ?? id;
}

export interface PriceText {
  /** `€79.00` */
  readonly amount: string;
  /** `a month`, `once` */
  readonly per: string;
  /** `tax included` */
  readonly tax: string;
}

export function priceText(pricing: PricingView, offer: OfferId): PriceText {
  const { amountMinor, interval } = pricing.prices.find((price) => price.offer === offer)!;
  return {
    amount: moneyText(amountMinor, pricing.currency),
    per: interval === null ? 'once' : 'a month',
    tax: pricing.taxIncluded ? 'tax included' : 'plus tax',
  };
}

/** The text that a buyer of this offer consents to. */
export function waiverText(pricing: PricingView, offer: OfferId): WaiverText {
  return pricing.prices.find((price) => price.offer === offer)?.waiver ?? pricing.waiver;
}

function streamText({ realtime, delaySeconds }: PlanLimits): string {
  return realtime ? 'Real-time stream' : `Stream, ${minutes(delaySeconds)} late`;
}

function historyText(days: number): string {
  if (days === 0) return 'No history';
  return days >= HISTORY_DAYS_ALL ? 'Full history' : `History of ${historyDaysText(days)}`;
}

function historyDaysText(days: number): string {
  if (days === 0) return 'none';
  return days >= HISTORY_DAYS_ALL ? 'full history' : counted(days, 'day');
}

function computeText({ computeBudget }: PlanLimits): string {
  return `${proseNumber(computeBudget)} compute units`;
}

function minutes(seconds: number): string {
  return counted(Math.round(seconds / 60), 'minute');
}
