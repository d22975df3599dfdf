/** Reads an operator's file of instruments, up to its size limit. */

import { ENTRY_BYTES_MAX } from '@tapeloom/server/markets/instruments/entry';
import { readFileWhole } from '@tapeloom/server/platform/disk/disk';
import { NodeDisk } from '@tapeloom/server/platform/disk/node-disk';
import { UsageError } from '../command.ts';

/** Throws a `UsageError` when the file is missing or is not text. */
export async function readInstrumentsText(path: string): Promise<string> {
  const disk = new NodeDisk();
  const entry = await disk.stat(path);
  if (entry === null) throw new UsageError(`there is no file ${path}`);
  if (entry.kind !== 'file') throw new UsageError(`${path} is not a file`);
  if (entry.size > ENTRY_BYTES_MAX) {
    throw new UsageError(`${path} has ${entry.size} bytes; at most ${ENTRY_BYTES_MAX} are allowed`);
  }
  const bytes = (await readFileWhole(disk, path)) ?? new Uint8Array();
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw new UsageError(`${path} is not UTF-8 text`, { cause: error });
  }
}
