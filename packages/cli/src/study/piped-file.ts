/** What is piped in, as a file that can be read more than once and from any place. It is gone when it is disposed of. */

import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type CommandIo, UsageError } from '../command.ts';

/** The word that means the standard input. */
export const PIPED = '-';

export interface PipedFile extends AsyncDisposable {
  readonly path: string;
}

export async function pipedFile({ input, signal }: CommandIo): Promise<PipedFile> {
  if (input.isTerminal) {
    throw new UsageError(
      '--file - reads standard input, but nothing is piped in. Use tapeloom study … < file',
    );
  }
  const directory = await mkdtemp(join(tmpdir(), 'tapeloom-piped-'));
  const path = join(directory, 'standard-input');
  const dispose = () => rm(directory, { recursive: true, force: true });
  try {
    await pipeline(Readable.from(input.bytes(), { objectMode: false }), createWriteStream(path), {
      signal,
    });
  } catch (error) {
    await dispose();
    throw error;
  }
  return { path, [Symbol.asyncDispose]: dispose };
}
