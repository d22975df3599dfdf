/** Stores piped input in a temporary file, which can be read repeatedly and at any position. Disposing removes it. */

import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type CommandIo, UsageError } from '../command.ts';

/** The argument that means standard input. */
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
