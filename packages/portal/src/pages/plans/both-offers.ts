/**
 * Both offers, bought one after the other: one is paid once and the other every month, so they are two orders. The one
 * that is paid once comes first. Where somebody stands follows from what the account has, so it can be left and resumed.
 */

import type { OfferId } from '../../api/portal-shapes.ts';

/** In an address, in place of an offer. */
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

/** Where to buy these: as one order, or as both. */
export function checkoutPath(offers: readonly OfferId[]): string {
  return offers.length > 1 ? BOTH_PATH : `/checkout?offer=${offers[0]}`;
}
