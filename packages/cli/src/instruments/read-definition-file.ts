/** The definitions of a DBN file, plain or packed, piece by piece. */

import { type DbnDefinition, DefinitionDecoder } from '@tapeloom/server/feeds/dbn/dbn-definitions';
import { FeedError } from '@tapeloom/server/feeds/feed-trades';
import { unpack } from '@tapeloom/server/feeds/packed/packing';
import type { Definition } from '@tapeloom/server/markets/instruments/definitions';
import { NodeDisk } from '@tapeloom/server/platform/node-disk';

export interface DefinitionFile {
  /** As the file calls it: `GLBX.MDP3`. */
  readonly dataset: string;
  readonly definitions: readonly Definition[];
}

/** Rejects with a `FeedError` that says what is wrong with the file. */
export async function readDefinitionFile(
  path: string,
  signal: AbortSignal,
): Promise<DefinitionFile> {
  const definitions: Definition[] = [];
  const dataset = await eachDefinition(path, signal, (definition) => {
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
  signal: AbortSignal,
  take: (definition: DbnDefinition) => void,
): Promise<string> {
  const disk = new NodeDisk();
  const entry = await disk.stat(path);
  if (entry === null) throw new FeedError('There is no such file.');
  if (entry.kind !== 'file') throw new FeedError('This is a directory: give files in it.');
  if (entry.size === 0) throw new FeedError('The file is empty: it has 0 bytes.');
  await using file = await disk.open(path, 'read');
  const source = {
    size: entry.size,
    read: (into: Uint8Array, position: number) => file.read(into, position),
  };
  const { files } = await unpack(source, path);
  const [only] = files;
  if (only === undefined || files.length > 1) {
    throw new FeedError(`The zip has ${files.length} files: unpack it and give them.`);
  }
  const decoder = new DefinitionDecoder();
  for await (const piece of only.bytes()) {
    signal.throwIfAborted();
    for (const definition of decoder.push(piece)) take(definition);
  }
  decoder.end();
  return decoder.metadata!.dataset;
}
