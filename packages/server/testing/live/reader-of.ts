/** A reader of messages alone, for tests of what they say. */

import type { EpochNs } from '@tapeloom/core/numbers';
import type { FeedContract, Venue, VenueReader } from '../../src/markets/live/feed.ts';

export function readerOf(venue: Venue, contracts: readonly FeedContract[]): VenueReader {
  return venue.reader(contracts, new Map(), 0n as EpochNs);
}
