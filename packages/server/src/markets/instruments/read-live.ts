/**
 * Reads how a dataset gets its trades: `live: { source: push, graceMs: 250, gapAfterMinutes: 15 }` from other programs,
 * `live: { feed: okx }` from a venue, `live: { source: composite, leaveOutAfterMinutes: 10 }` from other datasets.
 */

import { HOUR_MS, MINUTE_MS } from '@tapeloom/core/units';
import { didYouMean } from '../../config/nearest-name.ts';
import { isVenueAddress, type VenueAddresses, type VenueKind } from '../live/venue-kind.ts';
import { VENUES, venueNamed } from '../live/venues.ts';
import type { CompositeFeed, LiveFeed, VenueFeed } from './instruments-file.ts';
import type { Fields, Reading } from './reading.ts';

const GRACE_MS = 250;
const GRACE_MS_MAX = 60_000;
const GAP_AFTER_MINUTES = 15;
const GAP_AFTER_MINUTES_MAX = 1_440;
const LEAVE_OUT_AFTER_MINUTES = 10;
const LEAVE_OUT_AFTER_MINUTES_MAX = 1_440;
const TERMS = ['graceMs', 'gapAfterMinutes'];
const BACKFILL_HOURS_MAX = 2_160;
const VENUE_FIELDS = ['feed', 'addresses', 'keyFile', 'venueDataset', 'backfillHours', ...TERMS];
/** The protocols of streams and of requests. */
const STREAM = /^(?:wss?|tcp):$/;
const REST = /^https?:$/;

export function readLive(reading: Reading): LiveFeed {
  const named = reading.isMap ? reading.named() : new Map<string, Reading>();
  if (named.has('feed')) return readVenue(reading);
  const source = named.get('source')?.oneOf(['push', 'composite']);
  if (source === 'composite') return readComposite(reading);
  const fields = reading.fields(['source', ...TERMS]);
  if (source === undefined && reading.isMap) reading.fault('lacks "feed" or "source"');
  return { source: 'push', ...termsOf(fields) };
}

function readComposite(reading: Reading): CompositeFeed {
  const fields = reading.fields(['source', 'leaveOutAfterMinutes']);
  const minutes = fields.optional('leaveOutAfterMinutes', (field) =>
    field.whole(1, LEAVE_OUT_AFTER_MINUTES_MAX),
  );
  return {
    source: 'composite',
    leaveOutAfterMs: (minutes ?? LEAVE_OUT_AFTER_MINUTES) * MINUTE_MS,
  };
}

/** A venue may need more time than others until its trades are there. */
function termsOf(
  fields: Fields,
  graceMsOfVenue = GRACE_MS,
): Pick<VenueFeed, 'graceMs' | 'gapAfterMs'> {
  const graceMs = fields.optional('graceMs', (field) => field.whole(0, GRACE_MS_MAX));
  const minutes = fields.optional('gapAfterMinutes', (it) => it.whole(1, GAP_AFTER_MINUTES_MAX));
  return {
    graceMs: graceMs ?? graceMsOfVenue,
    gapAfterMs: (minutes ?? GAP_AFTER_MINUTES) * MINUTE_MS,
  };
}

function readVenue(reading: Reading): VenueFeed {
  const fields = reading.fields(VENUE_FIELDS);
  const kind = fields.required('feed', null, readKind);
  const keyFile = fields.optional('keyFile', (field) => field.text('a path')) ?? null;
  const venueDataset = fields.optional('venueDataset', (field) => field.text()) ?? null;
  const addresses = fields.optional('addresses', (field) => readAddresses(field, kind));
  const hours = fields.optional('backfillHours', (field) => readBackfill(field, kind)) ?? 0;
  if (kind?.needsKey && keyFile === null) {
    reading.fault(`lacks "keyFile": the file with your key of ${kind.title}`);
  }
  const useless = (name: string) =>
    reading.named().get(name)!.fault(`cannot be used: ${kind!.title} has none`);
  if (kind?.needsKey === false && keyFile !== null) useless('keyFile');
  if (kind?.venueDataset === null && venueDataset !== null) useless('venueDataset');
  return {
    source: 'venue',
    venue: kind?.name ?? '',
    addresses: addresses ?? kind?.addresses ?? { stream: '', rest: '' },
    keyFile,
    venueDataset: venueDataset ?? kind?.venueDataset ?? null,
    backfillMs: hours * HOUR_MS,
    ...termsOf(fields, kind?.graceMs),
  };
}

function readKind(reading: Reading): VenueKind | null {
  const name = reading.text('the name of a venue');
  const kind = venueNamed(name);
  if (kind !== null || name === '') return kind;
  const names = VENUES.map((venue) => venue.name);
  const near = didYouMean(name, names) || ` There are ${names.join(', ')}.`;
  reading.fault(`is ${JSON.stringify(name)}, which is no venue.${near}`);
  return null;
}

function readBackfill(reading: Reading, kind: VenueKind | null): number {
  const hours = reading.whole(0, BACKFILL_HOURS_MAX);
  if (hours > 0 && kind?.beginsEarlier === false) {
    reading.fault(
      `cannot be used: the feed of ${kind.title} cannot request past trades from a given time`,
    );
  }
  return hours;
}

function readAddresses(reading: Reading, kind: VenueKind | null): VenueAddresses {
  const fields = reading.fields(['stream', 'rest']);
  const read = (name: keyof VenueAddresses, protocol: RegExp, example: string) =>
    fields.optional(name, (field) => readAddress(field, protocol, example)) ??
    kind?.addresses[name] ??
    '';
  return {
    stream: read('stream', STREAM, 'wss://host/path'),
    rest: read('rest', REST, 'https://host'),
  };
}

/** Without a slash at its end. */
function readAddress(reading: Reading, protocol: RegExp, example: string): string {
  const text = reading.text(`an address as ${example}`);
  if (isVenueAddress(text, protocol)) return text.replace(/\/+$/, '');
  if (text.includes('@')) reading.fault(`has a password; an address as ${example} would do`);
  else if (text !== '') reading.refuse(`an address as ${example}`);
  return '';
}
