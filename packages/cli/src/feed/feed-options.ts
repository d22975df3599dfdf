/** The options of commands about a venue, with the names that `serve --feed` has for them. */

import { resolve } from 'node:path';
import {
  FEED_OPTIONS,
  type FeedRequest,
  feedRequest,
  readBackfill,
} from '@tapeloom/server/config/feed-options';
import { requireBackfill, venueOf, venueSettings } from '@tapeloom/server/markets/live/ask-venue';
import { readVenueKey } from '@tapeloom/server/markets/live/venue-key';
import {
  VenueError,
  type VenueKind,
  type VenueSettings,
} from '@tapeloom/server/markets/live/venue-kind';
import { SourceRefusedError } from '@tapeloom/server/markets/market';
import { NodeDisk } from '@tapeloom/server/platform/disk/node-disk';
import { CommandError, UsageError } from '../command.ts';
import { ExitCode } from '../exit-codes.ts';

/** Without `--feed`, which names the venue elsewhere. */
export const VENUE_TEXTS = ['stream-address', 'rest-address', 'key-file', 'venue-dataset'] as const;
export const FEED_TEXTS = ['feed', 'dataset', 'backfill', ...VENUE_TEXTS] as const;

type FeedValues = Readonly<Partial<Record<(typeof FEED_TEXTS)[number], string>>>;

/** Lines of a usage text. */
export function feedUsage(names: readonly string[] = Object.keys(FEED_OPTIONS)): string {
  return names
    .map((name) => `  ${name} ${FEED_OPTIONS[name]!.value}  ${FEED_OPTIONS[name]!.meaning}`)
    .join('\n');
}

export function readFeedRequest(values: FeedValues, symbols: readonly string[]): FeedRequest {
  if (symbols.length === 0) throw new UsageError('<symbols> are missing: as the venue writes them');
  return venueRequest(values.feed!, symbols, values);
}

export function venueRequest(
  venue: string,
  symbols: readonly string[],
  values: FeedValues,
): FeedRequest {
  const keyFile = values['key-file'];
  const backfillHours = values.backfill === undefined ? null : readBackfill(values.backfill);
  if (typeof backfillHours === 'string') throw new UsageError(backfillHours);
  return feedRequest(venue, [...new Set(symbols)], {
    dataset: values.dataset ?? null,
    streamAddress: values['stream-address'] ?? null,
    restAddress: values['rest-address'] ?? null,
    keyFile: keyFile === undefined ? null : resolve(keyFile),
    venueDataset: values['venue-dataset'] ?? null,
    backfillHours,
  });
}

export function refuseFeedOptions(values: FeedValues): void {
  const given = FEED_TEXTS.find((name) => name !== 'feed' && values[name] !== undefined);
  if (given !== undefined) throw new UsageError(`--${given} requires --feed`);
}

export interface OpenedVenue {
  readonly kind: VenueKind;
  readonly settings: VenueSettings;
}

/** The venue with the operator's addresses and key. */
export async function openVenue(
  kinds: readonly VenueKind[],
  request: FeedRequest,
): Promise<OpenedVenue> {
  return await tellingVenue(async () => {
    const kind = venueOf(kinds, request.venue);
    requireBackfill(kind, request.backfillHours);
    const key = await readVenueKey(new NodeDisk(), request.keyFile);
    return { kind, settings: venueSettings(kind, { ...request, key }) };
  });
}

/** Turns what a venue or its settings refuse into an error of the command. */
export async function tellingVenue<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof SourceRefusedError) throw new UsageError(error.message, { cause: error });
    if (!(error instanceof VenueError)) throw error;
    const code = error.isTemporary ? ExitCode.unreachable : ExitCode.failure;
    const name = error.isTemporary ? 'VENUE_UNREACHABLE' : 'VENUE_REFUSED';
    throw new CommandError(error.message, code, name, { cause: error });
  }
}
