/**
 * Finds the command for the given words, runs it and returns its exit code. A failure of the command becomes a message
 * and a code. No error output contains a key.
 */

import { nearestName } from '@tapeloom/server/config/nearest-name';
import {
  type Command,
  CommandError,
  type CommandGroup,
  type CommandIo,
  type CommandName,
  type LazyCommand,
  loadedCommand,
  UsageError,
} from './command.ts';
import { EXIT_CODE_MEANINGS, ExitCode } from './exit-codes.ts';
import { reportError } from './report-error.ts';
import { takeOwner } from './take-owner.ts';

const GROUPS: readonly (readonly [group: CommandGroup, title: string])[] = [
  ['customer', 'For customers, with an address and a key (tapeloom login):'],
  ['operator', 'For operators of a service, on its data directory (--data):'],
  ['shell', 'For the shell:'],
];
const HELP_HINT =
  'tapeloom <command> --help explains one command; tapeloom --version prints the version.\n';

export async function dispatch(
  commands: readonly (Command | LazyCommand)[],
  version: string,
  words: readonly string[],
  io: CommandIo,
): Promise<number> {
  const [first] = words;
  if (first === '--version') {
    io.stdout(`tapeloom ${version}\n`);
    return ExitCode.ok;
  }
  if (first === undefined || isHelp(first)) {
    io.stdout(`${overview(commands)}\n${exitCodesText()}${HELP_HINT}`);
    return ExitCode.ok;
  }
  const named = commands
    .filter(({ path }) => path.every((word, index) => words[index] === word))
    .sort((a, b) => b.path.length - a.path.length)[0];
  if (named === undefined) return answerUnknown(commands, words, io);
  const command = await loadedCommand(named);

  const args = words.slice(command.path.length);
  const ownArgs = args.includes('--') ? args.slice(0, args.indexOf('--')) : args;
  if (ownArgs.some(isHelp)) {
    io.stdout(withLineEnd(command.usage));
    return ExitCode.ok;
  }
  return await runReporting(command, args, ownArgs, io);
}

async function runReporting(
  command: Command,
  args: readonly string[],
  ownArgs: readonly string[],
  io: CommandIo,
): Promise<number> {
  const name = `tapeloom ${command.path.join(' ')}`;
  const isJson = ownArgs.includes('--json');
  const heard = new HeardIo(io);
  try {
    if (command.group === 'operator' && command.keepsUser !== true) takeOwner(ownArgs, io.env);
    const code = await command.run(args, isJson ? heard.io : io);
    // A rejection that the command itself put into words. If stdout already has results, those carry the outcome.
    if (isJson && code !== ExitCode.ok && !heard.hasOutput && heard.lastSaid !== null) {
      const refusal = new CommandError(heard.lastSaid, code as ExitCode);
      return reportError(refusal, { name, isJson }, io);
    }
    return code;
  } catch (error) {
    if (io.signal.aborted) return ExitCode.interrupted;
    const usage = withLineEnd(command.usage);
    return reportError(error, { name, isJson, usage }, io);
  }
}

/** The `CommandIo` of a command, which records what the command wrote. */
class HeardIo {
  readonly io: CommandIo;
  hasOutput = false;
  /** The last text on stderr as one line: a rejection may have several. */
  lastSaid: string | null = null;

  constructor(io: CommandIo) {
    this.io = {
      ...io,
      stdout: (text) => {
        this.hasOutput = true;
        io.stdout(text);
      },
      stderr: (text) => {
        this.lastSaid = text.trim().replaceAll(/\s*\n\s*/g, ' ') || this.lastSaid;
        io.stderr(text);
      },
    };
  }
}

function answerUnknown(commands: readonly CommandName[], words: readonly string[], io: CommandIo) {
  const report = { name: 'tapeloom', isJson: words.includes('--json') };
  const asked = words.filter((word) => !word.startsWith('-'));
  const below = commands.filter(({ path }) => asked.every((word, index) => path[index] === word));
  if (asked.length > 0 && below.length > 0) {
    const text = `${overview(below)}\n${HELP_HINT}`;
    if (words.some(isHelp)) {
      io.stdout(text);
      return ExitCode.ok;
    }
    const error = new UsageError(`${asked.join(' ')} needs a subcommand.`);
    return reportError(error, { ...report, usage: text }, io);
  }
  if (asked.length === 0) {
    const error = new UsageError(`unknown option ${words[0]}. See tapeloom --help.`);
    return reportError(error, report, io);
  }
  const near = nearest(asked, commands);
  const hint = near === null ? 'See tapeloom --help.' : `Did you mean "tapeloom ${near}"?`;
  const error = new UsageError(`unknown command "${asked.join(' ')}". ${hint}`);
  return reportError(error, report, io);
}

function overview(commands: readonly CommandName[]): string {
  const width = Math.max(0, ...commands.map(({ path }) => path.join(' ').length));
  const line = ({ path, summary }: CommandName) => `  ${path.join(' ').padEnd(width)}  ${summary}`;
  const groups = GROUPS.flatMap(([group, title]) => {
    const members = commands.filter((command) => (command.group ?? 'customer') === group);
    return members.length === 0 ? [] : [[title, ...members.map(line), ''].join('\n')];
  });
  return ['Usage: tapeloom <command> [options]', '', ...groups].join('\n');
}

function exitCodesText(): string {
  const lines = EXIT_CODE_MEANINGS.map(
    ([code, meaning]) => `  ${`${code}`.padEnd(3)}  ${meaning}\n`,
  );
  return `Exit codes:\n${lines.join('')}\n`;
}

/** The command whose path is closest to the leading words that were typed. */
function nearest(asked: readonly string[], commands: readonly CommandName[]): string | null {
  const lengths = [...new Set(commands.map(({ path }) => path.length))].sort((a, b) => b - a);
  for (const length of lengths) {
    const paths = commands
      .map(({ path }) => path.join(' '))
      .filter((path) => path.split(' ').length === length);
    const near = nearestName(asked.slice(0, length).join(' '), paths);
    if (near !== null) return near;
  }
  return null;
}

function isHelp(word: string): boolean {
  return word === '--help' || word === '-h';
}

function withLineEnd(text: string): string {
  return text.endsWith('\n') ? text : `${text}\n`;
}
