/** All venues that the service can receive live trades from, by the name that an operator writes. */

import { databentoKind } from './databento/databento-kind.ts';
import type { VenueKind } from './venue-kind.ts';

export const VENUES: readonly VenueKind[] = [databentoKind];

/** Null: there is none of this name. */
export function venueNamed(name: string): VenueKind | null {
  return VENUES.find((kind) => kind.name === name) ?? null;
}
