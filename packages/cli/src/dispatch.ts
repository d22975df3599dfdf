/**
 * From words to a command and its exit code. Whatever a command does, the caller gets a number: 0 for
 * success, 1 for a finding or failure, 2 for wrong usage, 130 when the user interrupted it. Nothing
 * thrown leaves `dispatch`.
 */

import { nearestName } from '@tapeloom/server/config/nearest-name';
import { type Command, type CommandIo, UsageError } from './command.ts';

export async function dispatch(
  commands: readonly Command[],
  version: string,
  words: readonly string[],
  io: CommandIo,
): Promise<number> {
  const [first] = words;
  if (first === '--version') {
    io.stdout(`tapeloom ${version}\n`);
    return 0;
  }
  if (first === undefined || isHelp(first)) {
    io.stdout(overview(commands));
    return 0;
  }
  const command = commands
    .filter(({ path }) => path.every((word, index) => words[index] === word))
    .reduce<Command | null>((best, next) => longerOf(best, next), null);
  if (command === null) return answerUnknown(commands, words, io);

  const args = words.slice(command.path.length);
  const ownArgs = args.includes('--') ? args.slice(0, args.indexOf('--')) : args;
  if (ownArgs.some(isHelp)) {
    io.stdout(withLineEnd(command.usage));
    return 0;
  }
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
    if (io.signal.aborted) return 130;
    const name = `tapeloom ${command.path.join(' ')}`;
    if (isWrongUsage(error)) {
      io.stderr(`${name}: ${error.message}\n\n${withLineEnd(command.usage)}`);
      return 2;
    }
    io.stderr(`${name}: ${oneLine(error)}\n`);
    if (isSet(io.env.TAPELOOM_DEBUG) && error instanceof Error) io.stderr(`${stackOf(error)}\n`);
    return 1;
  }
}

function answerUnknown(commands: readonly Command[], words: readonly string[], io: CommandIo) {
  const asked = words.filter((word) => !word.startsWith('-'));
  const below = commands.filter(({ path }) => asked.every((word, index) => path[index] === word));
  if (asked.length > 0 && below.length > 0) {
    const text = overview(below);
    if (words.some(isHelp)) {
      io.stdout(text);
      return 0;
    }
    io.stderr(`tapeloom ${asked.join(' ')} needs one more word.\n\n${text}`);
    return 2;
  }
  if (asked.length === 0) {
    io.stderr(`tapeloom: unknown option ${words[0]}. See tapeloom --help.\n`);
    return 2;
  }
  const near = nearest(asked, commands);
  const hint = near === null ? 'See tapeloom --help.' : `Did you mean "tapeloom ${near}"?`;
  io.stderr(`tapeloom: unknown command "${asked.join(' ')}". ${hint}\n`);
  return 2;
}

function overview(commands: readonly Command[]): string {
  const rows = commands.map(({ path, summary }) => [path.join(' '), summary] as const);
  const width = Math.max(0, ...rows.map(([name]) => name.length));
  const lines = rows.map(([name, summary]) => `  ${name.padEnd(width)}  ${summary}`);
  return [
    'Usage: tapeloom <command> [options]',
    '',
    'Commands:',
    ...lines,
    '',
    'tapeloom <command> --help explains one command; tapeloom --version prints the version.',
    '',
  ].join('\n');
}

/** The command whose path is nearest to as many of the asked words. */
function nearest(asked: readonly string[], commands: readonly Command[]): string | null {
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

function longerOf(best: Command | null, next: Command): Command {
  return best === null || next.path.length > best.path.length ? next : best;
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
