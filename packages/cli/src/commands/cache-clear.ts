/** `tapeloom cache clear`: removes cached results. This loses nothing but computing time. */

import { NodeDisk } from '@tapeloom/server/platform/disk/node-disk';
import { clearCache, listCache } from '@tapeloom/server/results/cache-entries';
import { writeJson } from '../accounts/account-options.ts';
import { CACHE_USAGE, FILTER_USAGE, readFilteredArgs } from '../cache/cache-options.ts';
import { type CommandBody, type CommandIo, UsageError } from '../command.ts';
import { sizeText } from '../size-text.ts';
import { wholeText } from '../stream/text-format.ts';

export const cacheClearCommand: CommandBody = {
  usage: `Usage: tapeloom cache clear (--all | --contract <symbol> | --indicator <id> | --dataset <name>) [options]

Removes cached results. They are computed again when requested; charges do not change.
The service may run.

  --all                everything, including damaged and unfinished files
${FILTER_USAGE}
  --dry-run            only show what would be removed
${CACHE_USAGE}

Examples:
  tapeloom cache clear --contract ESU6 --dry-run
  tapeloom cache clear --all`,
  run,
};

async function run(args: readonly string[], io: CommandIo): Promise<number> {
  const { place, filter, isJson, flags } = readFilteredArgs(args, io, ['all', 'dry-run']);
  const isFiltered = Object.keys(filter).length > 0;
  if (!isFiltered && !flags.all) {
    throw new UsageError(
      'name what to remove with --contract, --indicator or --dataset, or use --all',
    );
  }
  if (isFiltered && flags.all)
    throw new UsageError('--all cannot be combined with --contract, --indicator or --dataset');
  const isDry = flags['dry-run'];
  const remove = isDry ? listCache : clearCache;
  let [results, bytes] = [0, 0];
  for await (const entry of remove(new NodeDisk(), place.root, filter)) {
    io.signal.throwIfAborted();
    results += 1;
    bytes += entry.bytes;
  }
  if (isJson) {
    writeJson(io, { root: place.root, isDryRun: isDry, results, bytes });
  } else if (results === 0) {
    io.stdout(`Nothing in the cache of ${place.data} ${isFiltered ? 'fits' : 'is to go'}.\n`);
  } else {
    const what = `${wholeText(results)} result${results === 1 ? '' : 's'}`;
    io.stdout(
      isDry
        ? `${what} would be removed, ${sizeText(bytes)}.\n`
        : `${what} removed, ${sizeText(bytes)} freed.\n`,
    );
  }
  return 0;
}
