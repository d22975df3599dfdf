/** `tapeloom instruments from --feed`: contracts of a venue as a file of instruments, or added to one. */

import { resolve } from 'node:path';
import type { FeedRequest } from '@tapeloom/server/config/feed-options';
import { printedText } from '@tapeloom/server/feeds/printed-text';
import { FaultsError } from '@tapeloom/server/markets/instruments/reading';
import {
  type ExtendedInstruments,
  extendInstruments,
} from '@tapeloom/server/markets/instruments/venue-instruments';
import { writableContract } from '@tapeloom/server/markets/instruments/venue-products';
import { askContracts } from '@tapeloom/server/markets/live/ask-venue';
import { webNetwork } from '@tapeloom/server/markets/live/network';
import { VENUES } from '@tapeloom/server/markets/live/venues';
import { replaceFile } from '@tapeloom/server/platform/disk/disk';
import { NodeDisk } from '@tapeloom/server/platform/disk/node-disk';
import type { CommandIo } from '../command.ts';
import { ExitCode } from '../exit-codes.ts';
import { openVenue, tellingVenue } from '../feed/feed-options.ts';
import { readCalendarName } from '../study/file-options.ts';
import { readInstrumentsText } from './instruments-text.ts';
import { faultsText } from './instruments-view.ts';

export async function instrumentsFromVenue(
  request: FeedRequest,
  options: { readonly out?: string; readonly calendar?: string },
  io: CommandIo,
): Promise<number> {
  const calendar = readCalendarName(options.calendar);
  const { kind, settings } = await openVenue(VENUES, request);
  const out = options.out === undefined ? null : resolve(options.out);
  const disk = new NodeDisk();
  const before = out !== null && (await disk.stat(out)) !== null;
  const text = before ? await readInstrumentsText(out) : null;
  let extended: ExtendedInstruments;
  try {
    extended = await tellingVenue(async () => {
      const network = io.feedParts?.network ?? webNetwork;
      const question = { kind, settings, network, signal: io.signal };
      const described = await askContracts(question, request.symbols);
      return extendInstruments(text, {
        kind,
        dataset: request.dataset ?? kind.name,
        live: request,
        contracts: described.map((contract) => writableContract(kind, contract, calendar)),
      });
    });
  } catch (error) {
    if (!(error instanceof FaultsError)) throw error;
    io.stderr(faultsText(options.out ?? 'standard output', error.faults));
    return ExitCode.failure;
  }
  if (out === null) io.stdout(extended.text);
  else if (extended.text !== text) {
    await replaceFile(disk, out, new TextEncoder().encode(extended.text));
  }
  for (const line of linesOf(extended)) io.stderr(`${printedText(`${kind.name}: ${line}`)}\n`);
  return ExitCode.ok;
}

function linesOf({ added, notes }: ExtendedInstruments): readonly string[] {
  return [added.length === 0 ? 'nothing new' : `new: ${added.join(', ')}`, ...notes];
}
