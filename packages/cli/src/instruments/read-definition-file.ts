/** The definitions of a DBN file, plain or packed, read in the thread for foreign files. */

import type { ToldDefinition } from '@tapeloom/server/feeds/dbn/definition-file';
import { FeedError } from '@tapeloom/server/feeds/feed-trades';
import type { FeedThread } from '@tapeloom/server/feeds/guarded/feed-thread';
import type { Definition } from '@tapeloom/server/markets/instruments/definitions';
import { NodeDisk } from '@tapeloom/server/platform/disk/node-disk';

export interface DefinitionFile {
  /** As the file calls it: `GLBX.MDP3`. */
  readonly dataset: string;
  readonly definitions: readonly Definition[];
}

/** Rejects with a `FeedError` that says what is wrong with the file. */
export async function readDefinitionFile(path: string, feeds: FeedThread): Promise<DefinitionFile> {
  const definitions: Definition[] = [];
  const dataset = await eachDefinition(path, feeds, (definition) => {
    const { minPriceIncrementNanos, instrumentClass, ...told } = definition;
    definitions.push({
      rawSymbol: told.rawSymbol,
      asset: told.asset,
      exchange: told.exchange,
      currency: told.currency,
      instrumentClass: instrumentClass ?? '',
      event: told.event,
      tickNanos: minPriceIncrementNanos,
      unitOfMeasureQtyNanos: told.unitOfMeasureQtyNanos,
      expiration: told.expiration,
      maturityYear: told.maturityYear,
      maturityMonth: told.maturityMonth,
    });
  });
  return { dataset, definitions };
}

/** Gives what the file calls its dataset. Nothing that was taken may be used when it rejects, with a `FeedError`. */
export async function eachDefinition(
  path: string,
  feeds: FeedThread,
  take: (definition: ToldDefinition) => void,
): Promise<string> {
  const entry = await new NodeDisk().stat(path);
  if (entry === null) throw new FeedError('The file does not exist.');
  if (entry.kind !== 'file') throw new FeedError('This is a directory: name files in it.');
  let dataset = '';
  for await (const piece of feeds.definitions(path, entry.size)) {
    dataset = piece.dataset;
    for (const definition of piece.definitions) take(definition);
  }
  return dataset;
}
