/**
 * The process of a command: gives it its streams, environment and a signal that aborts on SIGINT
 * or SIGTERM. A second signal ends the process at once, so that nobody is held by a command that hangs.
 */

import { once } from 'node:events';
import { VERSION } from '@tapeloom/server/platform/version';
import type { CommandIo } from './command.ts';
import { commands } from './commands.ts';
import { dispatch } from './dispatch.ts';
import { ExitCode } from './exit-codes.ts';
import { createTerminalInput } from './terminal-input.ts';

const interrupted = new AbortController();
const interrupt = () => {
  if (interrupted.signal.aborted) process.exit(ExitCode.interrupted);
  interrupted.abort();
};
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, interrupt);

// The reader of a pipe may leave early (`tapeloom tape ls | head`): that is no error of ours.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(0);
});

const { signal } = interrupted;
const io: CommandIo = {
  stdout: (text) => process.stdout.write(text),
  stderr: (text) => process.stderr.write(text),
  drained: async () => {
    if (process.stdout.writableNeedDrain) await once(process.stdout, 'drain', { signal });
  },
  env: process.env,
  isTerminal: process.stdout.isTTY === true && process.env.TERM !== 'dumb',
  isErrorTerminal: process.stderr.isTTY === true && process.env.TERM !== 'dumb',
  input: createTerminalInput({
    stdin: () => process.stdin,
    stderr: process.stderr,
    signal,
    interrupt,
  }),
  signal,
};

process.exitCode = await dispatch(commands, VERSION, process.argv.slice(2), io);
