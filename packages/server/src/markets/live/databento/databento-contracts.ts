/** Contracts of a Databento dataset as their definitions describe them. Only futures are served. */

import type { EpochNs } from '@tapeloom/core/numbers';
import type { DbnDefinition } from '../../../feeds/dbn/dbn-definitions.ts';
import { knownRoot } from '../../../feeds/known-roots.ts';
import { instrumentsOf } from '../../instruments/definitions.ts';
import { productTemplate } from '../../instruments/templates.ts';
import { definitionOf } from '../../instruments/told-definition.ts';
import type { Network } from '../network.ts';
import { type VenueContract, VenueError, type VenueSettings } from '../venue-kind.ts';
import { datasetOf, keyOf, streamAddress } from './databento-venue.ts';
import { readDefinitionsOf } from './definition-session.ts';

const DELETED = 'D';
/** `ESZ26`, `ESZ2026`, `ES 12-26`: what others call ESZ6. */
const LONG_YEAR = /^([A-Z0-9]+?[FGHJKMNQUVXZ])(?:20)?\d(\d)$/;

export async function databentoContracts(
  network: Network,
  settings: VenueSettings,
  venueSymbols: readonly string[],
  signal: AbortSignal,
): Promise<readonly VenueContract[]> {
  const dataset = datasetOf(settings);
  const address = streamAddress(settings);
  const options = { address, key: keyOf(settings), dataset, venueSymbols };
  const definitions = await readDefinitionsOf(network, options, signal);
  return venueSymbols.map((venueSymbol) => {
    const definition = definitions.get(venueSymbol);
    if (definition === undefined) throw unknownContract(venueSymbol, dataset);
    return contractOf(definition);
  });
}

function unknownContract(venueSymbol: string, dataset: string): VenueError {
  const short = LONG_YEAR.exec(venueSymbol);
  const hint =
    short !== null && knownRoot(venueSymbol) !== null
      ? ` Its year has one digit there: ${short[1]}${short[2]}.`
      : ' Give the name that the exchange uses, as in ESZ6.';
  const what = `${dataset} has no contract ${JSON.stringify(venueSymbol)} now.`;
  return new VenueError(`${what}${hint}`, false);
}

function contractOf(definition: DbnDefinition): VenueContract {
  const { rawSymbol, asset } = definition;
  const { products, skipped } = instrumentsOf([definitionOf(definition)]);
  const product = products[asset];
  if (product === undefined) {
    const reason = [...skipped.keys()].join(', ');
    const rule = 'Only futures with a tick and an expiry are served.';
    throw new VenueError(`${rawSymbol} is left out (${reason}). ${rule}`, false);
  }
  const terms = { ...productTemplate(asset), ...product } as Readonly<Record<string, string>>;
  const [contract] = product.contracts as readonly { expiry: string; tick?: string }[];
  return {
    venueSymbol: rawSymbol,
    kind: 'future',
    root: asset,
    title: `${terms.name ?? asset} ${rawSymbol}`,
    base: '',
    currency: terms.currency ?? definition.currency,
    tick: contract!.tick ?? terms.tick!,
    lot: '1',
    pointValue: terms.pointValue!,
    isInverse: false,
    expiresAt: Temporal.Instant.from(contract!.expiry).epochNanoseconds as EpochNs,
    notTraded: definition.securityUpdateAction === DELETED ? 'the exchange has deleted it' : null,
    calendar: terms.calendar ?? null,
  };
}
