/**
 * The standard output of a command. After the first failed write, later writes are dropped and the command is asked to
 * stop: nothing is computed or charged for output that cannot be delivered.
 */

import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { getSystemErrorMessage } from 'node:util';
import { CommandError } from './command.ts';
import { ExitCode } from './exit-codes.ts';

export class CommandOutput {
  readonly #stream: Writable;
  readonly #onFailure: () => void;
  #failure: NodeJS.ErrnoException | null = null;

  constructor(stream: Writable, onFailure: () => void) {
    this.#stream = stream;
    this.#onFailure = onFailure;
    stream.on('error', (error) => this.#fail(error));
  }

  write(text: string): void {
    if (this.#failure === null) this.#stream.write(text);
  }

  /** Resolves when the stream accepts more output. */
  async drained(signal: AbortSignal): Promise<void> {
    if (this.#stream.writableNeedDrain) await once(this.#stream, 'drain', { signal });
  }

  /** Resolves when everything written has reached its reader, or cannot. */
  async flushed(): Promise<void> {
    if (this.#failure !== null) return;
    const error = await new Promise<Error | null | undefined>((resolve) => {
      this.#stream.write('', resolve);
    });
    if (error) this.#fail(error);
  }

  /** Why the output is incomplete; null: it is complete. A reader that closes early (`| head`) is no failure. */
  get failure(): CommandError | null {
    const error = this.#failure;
    if (error === null) return null;
    if (error.code === 'EPIPE') {
      const message = 'stopped: the reader of the output has closed it.';
      return new CommandError(message, ExitCode.ok, 'OUTPUT_CLOSED', { cause: error });
    }
    const why = error.errno === undefined ? error.message : getSystemErrorMessage(error.errno);
    const message = `cannot write to the standard output: ${why}.`;
    return new CommandError(message, ExitCode.failure, 'OUTPUT_FAILED', { cause: error });
  }

  #fail(error: NodeJS.ErrnoException): void {
    if (this.#failure !== null) return;
    this.#failure = error;
    this.#onFailure();
  }
}
