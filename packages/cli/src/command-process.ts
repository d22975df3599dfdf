/**
 * The process of a command: gives it its streams, environment and a signal that aborts on SIGINT
 * or SIGTERM. A second signal ends the process at once, so that nobody is held by a command that hangs.
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
// At a question the terminal gives keys instead of signals.
const interrupt = () => (interrupted.signal.aborted ? end() : interrupted.abort());

const output = new CommandOutput(process.stdout, () => interrupted.abort());
// Where errors cannot be written there is nobody left to tell.
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
  // What failed by itself stays failed; what was stopped for its output ends with the output's code.
  const isStopped = code === ExitCode.ok || code === ExitCode.interrupted;
  process.exitCode = isStopped ? ofOutput : code;
}
