/**
 * From words to a command and its exit code. Whatever a command does, the caller gets a number of
 * `ExitCode`, nothing thrown leaves `dispatch`, and no key is in what it says of an error.
 */

import { nearestName } from '@tapeloom/server/config/nearest-name';
import {
  type Command,
  type CommandGroup,
  type CommandIo,
  type CommandName,
  type LazyCommand,
  loadedCommand,
  UsageError,
} from './command.ts';
import { failureOf } from './customer/failure.ts';
import { EXIT_CODE_MEANINGS, ExitCode } from './exit-codes.ts';
import { takeOwner } from './take-owner.ts';

const GROUPS: readonly (readonly [group: CommandGroup, title: string])[] = [
  ['customer', 'For customers, with an address and a key (tapeloom login):'],
  ['operator', 'For operators of a service, on its data directory (--data):'],
  ['shell', 'For the shell:'],
];
const HELP_HINT =
  'tapeloom <command> --help explains one command; tapeloom --version prints the version.\n';
const SECRET_TEXT = /\bsvc_(live|test|token)_[0-9A-Za-z]+/g;

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
  if (command.group === 'operator' && command.keepsUser !== true) takeOwner(ownArgs, io.env);
  return await runReporting(command, args, io);
}

async function runReporting(
  command: Command,
  args: readonly string[],
  io: CommandIo,
): Promise<number> {
  try {
    return await command.run(args, io);
  } catch (error) {
    if (io.signal.aborted) return ExitCode.interrupted;
    const name = `tapeloom ${command.path.join(' ')}`;
    if (isWrongUsage(error)) {
      io.stderr(`${name}: ${withoutSecrets(error.message)}\n\n${withLineEnd(command.usage)}`);
      return ExitCode.usage;
    }
    const failure = failureOf(error);
    io.stderr(`${name}: ${withoutSecrets(failure?.sentence ?? oneLine(error))}\n`);
    if (isSet(io.env.TAPELOOM_DEBUG) && error instanceof Error) {
      io.stderr(`${withoutSecrets(stackOf(error))}\n`);
    }
    return failure?.exitCode ?? ExitCode.failure;
  }
}

function answerUnknown(commands: readonly CommandName[], words: readonly string[], io: CommandIo) {
  const asked = words.filter((word) => !word.startsWith('-'));
  const below = commands.filter(({ path }) => asked.every((word, index) => path[index] === word));
  if (asked.length > 0 && below.length > 0) {
    const text = `${overview(below)}\n${HELP_HINT}`;
    if (words.some(isHelp)) {
      io.stdout(text);
      return ExitCode.ok;
    }
    io.stderr(`tapeloom ${asked.join(' ')} needs one more word.\n\n${text}`);
    return ExitCode.usage;
  }
  if (asked.length === 0) {
    io.stderr(`tapeloom: unknown option ${words[0]}. See tapeloom --help.\n`);
    return ExitCode.usage;
  }
  const near = nearest(asked, commands);
  const hint = near === null ? 'See tapeloom --help.' : `Did you mean "tapeloom ${near}"?`;
  io.stderr(`tapeloom: unknown command "${asked.join(' ')}". ${hint}\n`);
  return ExitCode.usage;
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

/** The command whose path is nearest to as many of the asked words. */
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

/** Commands throw UsageError; `parseArgs` of Node has codes of its own for the same thing. */
function isWrongUsage(error: unknown): error is Error {
  if (error instanceof UsageError) return true;
  if (!(error instanceof Error) || !('code' in error)) return false;
  return typeof error.code === 'string' && error.code.startsWith('ERR_PARSE_ARGS_');
}

function oneLine(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.split('\n')[0]!;
}

/** Some errors quote what they could not use. */
function withoutSecrets(text: string): string {
  return text.replaceAll(SECRET_TEXT, 'svc_$1_…');
}

function stackOf(error: Error): string {
  const own = error.stack ?? error.message;
  return error.cause instanceof Error ? `${own}\ncaused by ${stackOf(error.cause)}` : own;
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== '' && value !== '0';
}

function withLineEnd(text: string): string {
  return text.endsWith('\n') ? text : `${text}\n`;
}
