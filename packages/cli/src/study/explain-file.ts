/**
 * `tapeloom study --file <file> --explain`: how a file would be read, as a mapping to edit and pass back with
 * `--mapping`. The mapping goes to stdout; reasons and questions go to stderr.
 */

import { basename, resolve } from 'node:path';
import type { CsvMapping } from '@tapeloom/server/feeds/feed-mapping';
import { FeedError } from '@tapeloom/server/feeds/feed-trades';
import { FeedThread } from '@tapeloom/server/feeds/guarded/feed-thread';
import { UnclearFeedError } from '@tapeloom/server/feeds/open-feed';
import { NodeDisk } from '@tapeloom/server/platform/disk/node-disk';
import { type CommandIo, UsageError } from '../command.ts';
import { ExitCode } from '../exit-codes.ts';
import { openFile } from '../import/found-files.ts';
import { readArgs } from '../read-args.ts';
import { FILE_TEXTS, readFileOptions } from './file-options.ts';
import { questionsText } from './file-text.ts';
import { readHints } from './read-hints.ts';

export async function explainFile(args: readonly string[], io: CommandIo): Promise<number> {
  const { values } = readArgs(args, {
    texts: ['file', ...FILE_TEXTS],
    flags: ['explain'],
    words: null,
  });
  if (values.file === undefined) throw new UsageError('--explain requires --file');
  const path = resolve(values.file);
  const name = basename(path);
  const disk = new NodeDisk();
  const hints = await readHints(disk, readFileOptions(values), io.signal);
  await using feeds = new FeedThread(io.signal);
  try {
    await using opened = await openFile(disk, path, hints, feeds);
    const { mapping, reasons } = opened.feed;
    for (const reason of reasons) io.stderr(`${reason}\n`);
    if (mapping === null) {
      io.stderr(`${name} defines its columns itself: it needs no mapping.\n`);
      return ExitCode.ok;
    }
    write(mapping, io);
    return ExitCode.ok;
  } catch (error) {
    if (error instanceof UnclearFeedError) {
      io.stderr(questionsText(name, error.questions, { isExplained: true }));
      if (error.draft === null) return ExitCode.failure;
      io.stderr('The mapping is a proposal: answer the questions above in it.\n');
      write(error.draft, io);
      return ExitCode.failure;
    }
    if (!(error instanceof FeedError)) throw error;
    throw new Error(`${name}: ${error.message}`, { cause: error });
  }
}

/** One line per field, for easy editing. */
function write(mapping: CsvMapping, io: CommandIo): void {
  const lines = Object.entries(mapping).map(
    ([name, value]) => `  ${JSON.stringify(name)}: ${JSON.stringify(value)}`,
  );
  io.stdout(`{\n${lines.join(',\n')}\n}\n`);
}
