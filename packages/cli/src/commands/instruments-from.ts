/** `tapeloom instruments from`: creates a file of instruments from a feed's definitions, or from a venue. */

import { resolve } from 'node:path';
import { FeedError } from '@tapeloom/server/feeds/feed-trades';
import { FeedThread } from '@tapeloom/server/feeds/guarded/feed-thread';
import { printedText } from '@tapeloom/server/feeds/printed-text';
import {
  type DefinedInstruments,
  type Definition,
  instrumentsOf,
} from '@tapeloom/server/markets/instruments/definitions';
import { instrumentsYaml } from '@tapeloom/server/markets/instruments/instruments-yaml';
import { readInstruments } from '@tapeloom/server/markets/instruments/read-instruments';
import { FaultsError } from '@tapeloom/server/markets/instruments/reading';
import { replaceFile } from '@tapeloom/server/platform/disk/disk';
import { NodeDisk } from '@tapeloom/server/platform/disk/node-disk';
import { type CommandBody, type CommandIo, UsageError } from '../command.ts';
import { ExitCode } from '../exit-codes.ts';
import { FEED_TEXTS, feedUsage, readFeedRequest, refuseFeedOptions } from '../feed/feed-options.ts';
import { instrumentsFromVenue } from '../instruments/instruments-from-venue.ts';
import { faultsText } from '../instruments/instruments-view.ts';
import { readDefinitionFile } from '../instruments/read-definition-file.ts';
import { readArgs } from '../read-args.ts';
import { readCalendarName } from '../study/file-options.ts';

export const instrumentsFromCommand: CommandBody = {
  usage: `Usage: tapeloom instruments from <file>... [--out <file>] [--calendar <name>]
       tapeloom instruments from --feed <venue> <symbols>... [--out <file>] [options]

Creates a file of instruments from DBN files of the schema definition, plain or packed. Futures become
products and contracts, with a template if there is one; of several definitions of a contract the
latest counts. Omissions, assumptions and differences from a template are reported on the
standard error. The result is checked like instruments check: with errors the exit code is 1.

With --feed the contracts are read from a venue: tick, lot, point value, currency and expiry. Their
symbols end with its name (BTCUSDT.binance-usdm). If the file of --out exists, what it lacks is added to
it and the rest stays as it is; run again, nothing changes. tapeloom instruments apply takes the file.

  --calendar <name>  the calendar of all products, instead of that of their template or market
  --out <file>  where to write it (default: the standard output); an existing file is not replaced
  --feed <venue>  the venue; the words that follow are symbols as it writes them, in any case
${feedUsage()}

Examples:
  tapeloom instruments from glbx-mdp3-20261113.definition.dbn.zst
  tapeloom instruments from monday.dbn.zst tuesday.dbn.zst --out instruments.yaml
  tapeloom instruments from --feed okx BTC-USDT-SWAP --out instruments.yaml`,
  run,
};

async function run(args: readonly string[], io: CommandIo): Promise<number> {
  const { values, words: files } = readArgs(args, {
    texts: ['out', 'calendar', ...FEED_TEXTS],
    words: null,
  });
  if (values.feed !== undefined) {
    return await instrumentsFromVenue(readFeedRequest(values, files), values, io);
  }
  refuseFeedOptions(values);
  if (files.length === 0) throw new UsageError('<file> is missing');
  const calendar = readCalendarName(values.calendar);
  const disk = new NodeDisk();
  const out = values.out === undefined ? null : resolve(values.out);
  if (out !== null && (await disk.stat(out)) !== null) {
    throw new UsageError(`${values.out} already exists and is not replaced`);
  }
  const byDataset = new Map<string, Definition[]>();
  await using feeds = new FeedThread(io.signal);
  for (const file of files) {
    try {
      const { dataset, definitions } = await readDefinitionFile(file, feeds);
      byDataset.set(dataset, (byDataset.get(dataset) ?? []).concat(definitions));
    } catch (error) {
      if (!(error instanceof FeedError)) throw error;
      io.stderr(`${file}: ${error.message}\n`);
      return ExitCode.failure;
    }
  }
  const datasets = [...byDataset].map(
    ([name, all]) => [name, instrumentsOf(all, calendar)] as const,
  );
  for (const [name, defined] of datasets) io.stderr(toldText(name, defined));
  const text = instrumentsYaml(Object.fromEntries(datasets));
  if (out === null) io.stdout(text);
  else await replaceFile(disk, out, new TextEncoder().encode(text));
  return tellFaults(io, values.out ?? 'standard output', text);
}

function toldText(dataset: string, { products, notes, skipped }: DefinedInstruments): string {
  const left = [...skipped].map(([reason, { count, names }]) => {
    const more = count > names.size ? ', …' : '';
    return `left out ${count.toLocaleString('en')} ${reason}: ${[...names].join(', ')}${more}`;
  });
  const lines = [`${Object.keys(products).length} products of futures`, ...left, ...notes];
  return lines.map((line) => `${printedText(`${dataset}: ${line}`)}\n`).join('');
}

function tellFaults(io: CommandIo, file: string, text: string): number {
  try {
    readInstruments(text);
    return ExitCode.ok;
  } catch (error) {
    if (!(error instanceof FaultsError)) throw error;
    io.stderr(faultsText(file, error.faults));
    return ExitCode.failure;
  }
}
