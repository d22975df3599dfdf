/** Reads the definitions of a DBN file, plain or packed, in the thread for foreign files. */

import type { ToldDefinition } from '@tapeloom/server/feeds/dbn/definition-file';
import { FeedError } from '@tapeloom/server/feeds/feed-trades';
import type { FeedThread } from '@tapeloom/server/feeds/guarded/feed-thread';
import type { Definition } from '@tapeloom/server/markets/instruments/definitions';
import { definitionOf } from '@tapeloom/server/markets/instruments/told-definition';
import { NodeDisk } from '@tapeloom/server/platform/disk/node-disk';

export interface DefinitionFile {
  /** The file's name for it: `GLBX.MDP3`. */
  readonly dataset: string;
  readonly definitions: readonly Definition[];
}

/** Rejects with a `FeedError` that describes the fault. */
export async function readDefinitionFile(path: string, feeds: FeedThread): Promise<DefinitionFile> {
  const definitions: Definition[] = [];
  const dataset = await eachDefinition(path, feeds, (told) => {
    definitions.push(definitionOf(told));
  });
  return { dataset, definitions };
}

/** Returns the file's name for its dataset. If it rejects, the caller must discard what `take` received. */
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
