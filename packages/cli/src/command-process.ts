/**
 * Runs a command in its own process, with streams, environment and a signal that aborts on SIGINT or SIGTERM. A second
 * signal ends the process at once, so a command that hangs can always be stopped.
 */

import { onStopSignals } from '@tapeloom/server/platform/stop-signals';
import { VERSION } from '@tapeloom/server/platform/version';
import type { CommandIo } from './command.ts';
import { CommandOutput } from './command-output.ts';
import { commands } from './commands.ts';
import { dispatch } from './dispatch.ts';
import { ExitCode } from './exit-codes.ts';
import { reportError } from './report-error.ts';
import { createTerminalInput } from './terminal-input.ts';

const interrupted = new AbortController();
const end = () => process.exit(ExitCode.interrupted);
onStopSignals({ onFirst: () => interrupted.abort(), onAgain: end });
// At a prompt the terminal delivers keys instead of signals.
const interrupt = () => (interrupted.signal.aborted ? end() : interrupted.abort());

const output = new CommandOutput(process.stdout, () => interrupted.abort());
// An unwritable stderr cannot be reported anywhere.
process.stderr.on('error', () => {});

const { signal } = interrupted;
const io: CommandIo = {
  stdout: (text) => output.write(text),
  stderr: (text) => process.stderr.write(text),
  drained: () => output.drained(signal),
  env: process.env,
  isTerminal: process.stdout.isTTY === true && process.env.TERM !== 'dumb',
  isErrorTerminal: process.stderr.isTTY === true && process.env.TERM !== 'dumb',
  now: () => performance.now(),
  input: createTerminalInput({
    stdin: () => process.stdin,
    stderr: process.stderr,
    signal,
    interrupt,
  }),
  signal,
};

const words = process.argv.slice(2);
const code = await dispatch(commands, VERSION, words, io);
await output.flushed();
const { failure } = output;
if (failure === null) process.exitCode = code;
else {
  const report = { name: 'tapeloom', isJson: words.includes('--json') };
  const ofOutput = reportError(failure, report, io);
  // The command's own failure wins. A command that was stopped because of its output exits with the output's code.
  const isStopped = code === ExitCode.ok || code === ExitCode.interrupted;
  process.exitCode = isStopped ? ofOutput : code;
}
