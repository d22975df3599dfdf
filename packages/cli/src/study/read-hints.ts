/** Completes a file's hints from other files: the mapping of its columns, and definitions. */

import type { NamingDefinition } from '@tapeloom/server/feeds/dbn/dbn-instruments';
import { FeedError } from '@tapeloom/server/feeds/feed-trades';
import { FeedThread } from '@tapeloom/server/feeds/guarded/feed-thread';
import type { FeedHints } from '@tapeloom/server/feeds/open-feed';
import type { Disk } from '@tapeloom/server/platform/disk/disk';
import { UsageError } from '../command.ts';
import { foundFiles } from '../import/found-files.ts';
import { eachDefinition } from '../instruments/read-definition-file.ts';
import type { FileOptions } from './file-options.ts';
import { readMapping } from './read-mapping.ts';

/** All definitions stay in memory while a file is read, about 200 bytes each. */
const DEFINITIONS_MAX = 2_000_000;

export async function readHints(
  disk: Disk,
  { hints, mappingPath, definitionFiles }: FileOptions,
  signal: AbortSignal,
): Promise<FeedHints> {
  return {
    ...hints,
    ...(mappingPath !== null && { mapping: await readMapping(disk, mappingPath) }),
    ...(definitionFiles !== null && {
      definitions: await namingDefinitions(disk, definitionFiles, signal),
    }),
  };
}

async function namingDefinitions(
  disk: Disk,
  word: string,
  signal: AbortSignal,
): Promise<readonly NamingDefinition[]> {
  const definitions: NamingDefinition[] = [];
  await using feeds = new FeedThread(signal);
  for (const path of await foundFiles(disk, [word])) {
    try {
      await eachDefinition(path, feeds, (definition) => {
        if (definitions.length === DEFINITIONS_MAX) {
          throw new FeedError(
            `There are more than ${DEFINITIONS_MAX} definitions: give those of the days and products that are read.`,
          );
        }
        const { instrumentId, rawSymbol, instrumentClass, received } = definition;
        const { activation, expiration } = definition;
        definitions.push({
          instrumentId,
          rawSymbol,
          instrumentClass,
          received,
          activation,
          expiration,
        });
      });
    } catch (error) {
      if (!(error instanceof FeedError)) throw error;
      throw new UsageError(`--definitions ${path}: ${error.message}`, { cause: error });
    }
  }
  return definitions;
}
