/** Reads the definitions of a DBN file, plain or packed, piece by piece, with the fields that are used here. */

import { FeedError } from '../feed-trades.ts';
import type { ByteSource } from '../packed/byte-source.ts';
import { unpack } from '../packed/packing.ts';
import { type DbnDefinition, DefinitionDecoder } from './dbn-definitions.ts';

export type ToldDefinition = Pick<
  DbnDefinition,
  | 'instrumentId'
  | 'rawSymbol'
  | 'asset'
  | 'exchange'
  | 'currency'
  | 'instrumentClass'
  | 'event'
  | 'received'
  | 'activation'
  | 'expiration'
  | 'maturityYear'
  | 'maturityMonth'
  | 'minPriceIncrementNanos'
  | 'unitOfMeasureQtyNanos'
>;

export interface DefinitionPiece {
  /** The dataset's name in the file: `GLBX.MDP3`. */
  readonly dataset: string;
  readonly definitions: readonly ToldDefinition[];
}

/** If it rejects, with a `FeedError`, none of the definitions may be used. */
export async function* definitionsOf(
  source: ByteSource,
  path: string,
): AsyncGenerator<DefinitionPiece> {
  if (source.size === 0) throw new FeedError('The file is empty: it has 0 bytes.');
  const { files } = await unpack(source, path);
  const [only] = files;
  if (only === undefined || files.length > 1) {
    throw new FeedError(`The zip has ${files.length} files: unpack it and give them.`);
  }
  const decoder = new DefinitionDecoder();
  for await (const piece of only.bytes()) {
    const definitions = decoder.push(piece).map(told);
    if (definitions.length > 0) yield { dataset: decoder.metadata!.dataset, definitions };
  }
  decoder.end();
  yield { dataset: decoder.metadata!.dataset, definitions: [] };
}

function told(definition: DbnDefinition): ToldDefinition {
  return {
    instrumentId: definition.instrumentId,
    rawSymbol: definition.rawSymbol,
    asset: definition.asset,
    exchange: definition.exchange,
    currency: definition.currency,
    instrumentClass: definition.instrumentClass,
    event: definition.event,
    received: definition.received,
    activation: definition.activation,
    expiration: definition.expiration,
    maturityYear: definition.maturityYear,
    maturityMonth: definition.maturityMonth,
    minPriceIncrementNanos: definition.minPriceIncrementNanos,
    unitOfMeasureQtyNanos: definition.unitOfMeasureQtyNanos,
  };
}
