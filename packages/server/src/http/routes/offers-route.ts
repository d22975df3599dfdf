/** `GET /v1/offers`: the offers, and the limits of each combination. Public. */

import { PLAN_LIMITS, PLANS } from '@tapeloom/core/entitlement/plan';
import { OFFER_IDS, OFFERS, PLAN_OFFERS } from '../../billing/offers.ts';
import { namedObject, Type } from '../contract/schema.ts';
import { defineRoute, PUBLIC_CACHE_CONTROL, type Route } from '../server/route.ts';
import { LimitsView } from './limits-view.ts';

const Offer = namedObject('Offer', {
  id: Type.Enum(OFFER_IDS, { title: 'OfferId' }),
  name: Type.String(),
  billing: Type.Enum(['monthly', 'once'], {
    title: 'OfferBilling',
    description: '`monthly`: a subscription. `once`: paid once, for life.',
  }),
  grants: Type.Array(Type.Enum(OFFER_IDS, { title: 'OfferId' }), {
    description: 'The grants that the offer adds to the account.',
  }),
});

const PlanOffers = namedObject('Plan', {
  id: Type.Enum(PLANS, { title: 'PlanId' }),
  offers: Type.Array(Type.Enum(OFFER_IDS, { title: 'OfferId' }), {
    description: 'The offers that together make this plan; empty for the free plan.',
  }),
  limits: LimitsView,
});

const OffersView = namedObject('OfferList', {
  offers: Type.Array(Offer),
  plans: Type.Array(PlanOffers),
});

export function offersRoute(): Route {
  const answer = {
    offers: OFFERS.map((offer) => ({ ...offer, grants: [...offer.grants] })),
    plans: PLAN_OFFERS.map(({ plan, offers }) => ({
      id: plan,
      offers: [...offers],
      limits: { ...PLAN_LIMITS[plan] },
    })),
  };
  return defineRoute({
    method: 'GET',
    path: '/v1/offers',
    operationId: 'listOffers',
    summary: 'The offers, and the limits of each combination.',
    description:
      'The offers, the grants of each, and the limits of every plan that they add up to. Prices are in ' +
      '`GET /v1/pricing`.',
    access: 'public',
    cacheControl: PUBLIC_CACHE_CONTROL,
    answer: OffersView,
    handle: () => answer,
  });
}
