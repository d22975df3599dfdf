/** Asks a venue for its contracts on behalf of an operator: names as written, addresses and key as given. */

import { didYouMean } from '../../config/nearest-name.ts';
import type { Network } from './network.ts';
import {
  isVenueAddress,
  type VenueContract,
  VenueError,
  type VenueKind,
  type VenueSettings,
} from './venue-kind.ts';

const STREAM = /^(?:wss?|tcp):$/;
const REST = /^https?:$/;

export interface VenueQuestion {
  readonly kind: VenueKind;
  readonly settings: VenueSettings;
  readonly network: Network;
  readonly signal: AbortSignal;
}

/** Throws a `VenueError` that lists the venues. */
export function venueOf(kinds: readonly VenueKind[], name: string): VenueKind {
  const found = kinds.find((kind) => kind.name === name);
  if (found !== undefined) return found;
  const names = kinds.map((kind) => kind.name);
  throw new VenueError(
    `There is no venue ${name}.${didYouMean(name, names)} The venues are ${names.join(', ')}.`,
    false,
  );
}

/** Throws a `VenueError` if the venue cannot do what `--backfill` asks for. */
export function requireBackfill(kind: VenueKind, backfillHours: number | null): void {
  if (backfillHours === null || kind.beginsEarlier) return;
  const why = `the feed of ${kind.title} cannot request past trades from a given time.`;
  throw new VenueError(`--backfill cannot be used with ${kind.name}: ${why}`, false);
}

/** The venue's own addresses, unless an operator has given others. Throws a `VenueError`. */
export function venueSettings(
  kind: VenueKind,
  given: {
    readonly streamAddress: string | null;
    readonly restAddress: string | null;
    readonly venueDataset: string | null;
    readonly key: string | null;
  },
): VenueSettings {
  const { streamAddress, restAddress, venueDataset, key } = given;
  if (kind.needsKey && key === null) {
    throw new VenueError(`${kind.title} needs a key: name the file with it by --key-file.`, false);
  }
  const { stream, rest } = kind.addresses;
  return {
    addresses: {
      stream: address('--stream-address', streamAddress, STREAM, stream),
      rest: address('--rest-address', restAddress, REST, rest),
    },
    key,
    venueDataset: venueDataset ?? kind.venueDataset,
  };
}

/** `own`: the venue's, which may be empty. */
function address(option: string, text: string | null, protocol: RegExp, own: string): string {
  if (text === null || text === own) return own;
  if (isVenueAddress(text, protocol)) return text.replace(/\/+$/, '');
  const example = protocol === STREAM ? 'wss://host/path' : 'https://host';
  const shown = text.replace(/\/\/.*@/, '//…@');
  throw new VenueError(`${option} must be an address such as ${example}; got ${shown}.`, false);
}

/**
 * The descriptions of these contracts. A name that the venue does not have is tried in upper case. Rejects with a
 * `VenueError`.
 */
export async function askContracts(
  { kind, settings, network, signal }: VenueQuestion,
  written: readonly string[],
): Promise<readonly VenueContract[]> {
  const ask = (names: readonly string[]) => kind.contracts(network, settings, names, signal);
  const upper = written.map((name) => name.toUpperCase());
  try {
    return await ask(written);
  } catch (error) {
    const isUnknown = error instanceof VenueError && !error.isTemporary;
    if (!isUnknown || upper.every((name, at) => name === written[at])) throw error;
    return await ask([...new Set(upper)]).catch(() => {
      throw error;
    });
  }
}
