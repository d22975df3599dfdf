/**
 * Both offers, bought consecutively: one is paid once and the other monthly, so they are two orders. The single payment
 * comes first. The present step follows from what the account holds, so the purchase can be left and resumed.
 */

import type { OfferId } from '../../api/portal-shapes.ts';

/** The value of `offer` in an address. */
export const BOTH = 'both';
export const BOTH_PATH = `/checkout?offer=${BOTH}`;
const IN_ORDER: readonly OfferId[] = ['history', 'live'];

export interface BothStep {
  readonly offer: OfferId;
  readonly state: 'done' | 'now' | 'next';
}

export function bothSteps(isBuyable: (offer: OfferId) => boolean): readonly BothStep[] {
  const now = IN_ORDER.find(isBuyable);
  return IN_ORDER.map((offer) => ({
    offer,
    state: offer === now ? 'now' : isBuyable(offer) ? 'next' : 'done',
  }));
}

export function checkoutPath(offers: readonly OfferId[]): string {
  return offers.length > 1 ? BOTH_PATH : `/checkout?offer=${offers[0]}`;
}
