/** The text format of a log: `--format`, `--json`, and the defaults. */

import { type CommandIo, UsageError } from '../command.ts';

export const ENTRY_FORMATS = ['ndjson', 'csv', 'table'] as const;
export type EntryFormat = (typeof ENTRY_FORMATS)[number];

/** Reads the value of `--format`, one of the command's formats. */
export function readFormat<Format extends string>(
  text: string,
  formats: readonly Format[],
): Format {
  const format = formats.find((one) => one === text);
  if (format !== undefined) return format;
  throw new UsageError(`--format must be one of ${formats.join(', ')}; got ${text}`);
}

/** A table is for people: it is the default only on a terminal. */
export function defaultFormat(out: string | null, io: CommandIo): EntryFormat {
  return out === null && io.isTerminal ? 'table' : 'ndjson';
}

/** For commands where `--json` means JSON lines. */
export function readEntryFormat(
  text: string | undefined,
  isJson: boolean,
  out: string | undefined,
  io: CommandIo,
): EntryFormat {
  if (isJson && text !== undefined && text !== 'ndjson') {
    throw new UsageError(`--json means --format ndjson, but --format is ${text}`);
  }
  if (text !== undefined) return readFormat(text, ENTRY_FORMATS);
  return isJson ? 'ndjson' : defaultFormat(out ?? null, io);
}
