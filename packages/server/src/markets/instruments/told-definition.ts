/** A definition of DBN as one of a feed. */

import type { ToldDefinition } from '../../feeds/dbn/definition-file.ts';
import type { Definition } from './definitions.ts';

export function definitionOf(told: ToldDefinition): Definition {
  return {
    rawSymbol: told.rawSymbol,
    asset: told.asset,
    exchange: told.exchange,
    currency: told.currency,
    instrumentClass: told.instrumentClass ?? '',
    event: told.event,
    tickNanos: told.minPriceIncrementNanos,
    unitOfMeasureQtyNanos: told.unitOfMeasureQtyNanos,
    expiration: told.expiration,
    maturityYear: told.maturityYear,
    maturityMonth: told.maturityMonth,
  };
}
