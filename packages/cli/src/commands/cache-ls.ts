/** `tapeloom cache ls`: cached results, with their size and last use. */

import { readFileWhole } from '@tapeloom/server/platform/disk/disk';
import { NodeDisk } from '@tapeloom/server/platform/disk/node-disk';
import {
  type CacheEntry,
  type CacheStatistics,
  cacheStatistics,
  listCache,
} from '@tapeloom/server/results/cache-entries';
import { CacheDamagedError, decodeResult } from '@tapeloom/server/results/result-cache-file';
import { writeJson } from '../accounts/account-options.ts';
import {
  CACHE_USAGE,
  type CachePlace,
  FILTER_USAGE,
  readFilteredArgs,
} from '../cache/cache-options.ts';
import {
  groupsOf,
  groupsTable,
  type ResultView,
  resultJson,
  resultsTable,
  resultView,
} from '../cache/cache-view.ts';
import type { CommandBody, CommandIo } from '../command.ts';
import { sizeText } from '../size-text.ts';
import { wholeText } from '../stream/text-format.ts';

export const cacheLsCommand: CommandBody = {
  usage: `Usage: tapeloom cache ls [options]

Lists the cached results of sealed days, one row per contract and configuration, and their share of
TAPELOOM_CACHE_BYTES. OUTDATED results belong to an earlier version of their indicator, are never used again and are removed
when space is needed; DAMAGED files are not results and are removed when they are read.
Parameters with default values are omitted. Reads only; the service may run.

${FILTER_USAGE}
  --entries            one row per day
  --check              read every file completely: finds damage beyond its beginning
${CACHE_USAGE}

Examples:
  tapeloom cache ls
  tapeloom cache ls --contract ESZ6 --indicator footprint --entries`,
  run,
};

async function run(args: readonly string[], io: CommandIo): Promise<number> {
  const { place, filter, isJson, flags } = readFilteredArgs(args, io, ['entries', 'check']);
  const disk = new NodeDisk();
  const results: ResultView[] = [];
  for await (const entry of listCache(disk, place.root, filter)) {
    io.signal.throwIfAborted();
    const isWhole = !flags.check || (await isIntact(disk, entry));
    results.push(resultView(isWhole ? entry : { ...entry, about: null }));
  }
  const total = await cacheStatistics(disk, place.root);
  if (isJson) writeJson(io, jsonOf(place, results, total, flags.entries));
  else io.stdout(textOf(place, results, total, flags.entries));
  return 0;
}

async function isIntact(disk: NodeDisk, { path, about }: CacheEntry): Promise<boolean> {
  const file = about === null ? null : await readFileWhole(disk, path);
  // A file that has disappeared meanwhile is not damaged.
  if (file === null) return true;
  try {
    decodeResult(file);
    return true;
  } catch (error) {
    if (error instanceof CacheDamagedError) return false;
    throw error;
  }
}

function jsonOf(
  { root, bytesMax }: CachePlace,
  results: readonly ResultView[],
  total: CacheStatistics,
  isByEntry: boolean,
) {
  const { entries, bytes, unfinished } = total;
  const damaged = results.filter(({ state }) => state === 'damaged').length;
  const cache = { root, bytesMax, results: entries, bytes, unfinished };
  const shown = isByEntry
    ? { results: results.map(resultJson) }
    : { configurations: groupsOf(results).map(resultJson) };
  return { cache, ...shown, damaged };
}

function textOf(
  place: CachePlace,
  results: readonly ResultView[],
  total: CacheStatistics,
  isByEntry: boolean,
): string {
  const { data, bytesMax } = place;
  if (total.entries === 0 && total.unfinished === 0) {
    const hint = bytesMax === 0 ? 'TAPELOOM_CACHE_BYTES is 0' : 'tapeloom cache warm fills it';
    return `The cache in ${data} is empty; ${hint}.\n`;
  }
  const limit = bytesMax === 0 ? '; the cache is turned off' : limitText(total.bytes, bytesMax);
  const lines = [`All: ${countText(total.entries)}, ${sizeText(total.bytes)}${limit}.`];
  if (results.length > 0 && results.length < total.entries) {
    const bytes = results.reduce((sum, one) => sum + one.bytes, 0);
    lines.unshift(`Shown: ${countText(results.length)}, ${sizeText(bytes)}.`);
  }
  const damaged = results.filter(({ state }) => state === 'damaged').length;
  if (damaged > 0)
    lines.push(`${countText(damaged)} damaged: removed when read, or by tapeloom cache clear.`);
  if (total.unfinished > 0) {
    lines.push(`${wholeText(total.unfinished)} unfinished: being written, or left by a crash.`);
  }
  const table = isByEntry ? resultsTable(results) : groupsTable(groupsOf(results));
  const shown = results.length === 0 ? 'Nothing in the cache fits.\n' : `${table}\n`;
  return `${shown}${lines.join('\n')}\n`;
}

/** " of 2 GiB, 12.5 %". */
function limitText(bytes: number, bytesMax: number): string {
  const percent = (100 * bytes) / bytesMax;
  const share = percent > 0 && percent < 0.1 ? 'less than 0.1' : percent.toFixed(1);
  return ` of ${sizeText(bytesMax)}, ${share} %`;
}

function countText(results: number): string {
  return `${wholeText(results)} result${results === 1 ? '' : 's'}`;
}
