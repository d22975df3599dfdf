/** Parses the command line of one command: options by name, and positional arguments. */

import { type ParseArgsConfig, parseArgs } from 'node:util';
import { didYouMean } from '@tapeloom/server/config/nearest-name';
import { UsageError } from './command.ts';

export interface TakenArgs<Text extends string, Flag extends string> {
  /** Options with a text value. */
  readonly texts?: readonly Text[];
  /** Options without a value. */
  readonly flags?: readonly Flag[];
  /** What each positional argument is, for the error about a missing one; null: the command checks them itself. */
  readonly words: readonly string[] | null;
}

export interface ReadArgs<Text extends string, Flag extends string> {
  readonly values: Readonly<Partial<Record<Text, string>> & Record<Flag, boolean>>;
  readonly words: readonly string[];
}

export function readArgs<Text extends string = never, Flag extends string = never>(
  args: readonly string[],
  { texts = [], flags = [], words }: TakenArgs<Text, Flag>,
): ReadArgs<Text, Flag> {
  const { values, positionals } = parsedArgs(args, {
    ...Object.fromEntries(texts.map((name) => [name, { type: 'string' as const }])),
    ...Object.fromEntries(flags.map((name) => [name, { type: 'boolean' as const }])),
  });
  const absent = Object.fromEntries(flags.map((name) => [name, false]));
  return {
    values: { ...absent, ...values } as ReadArgs<Text, Flag>['values'],
    words: words === null ? positionals : readWords(positionals, words),
  };
}

/** Parses with Node's `parseArgs`. The error about an unknown option suggests similar ones. */
export function parsedArgs(
  args: readonly string[],
  options: NonNullable<ParseArgsConfig['options']>,
): {
  readonly values: Readonly<Record<string, unknown>>;
  readonly positionals: readonly string[];
} {
  const config = { args: [...args], options, allowPositionals: true };
  try {
    return parseArgs(config);
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error)) throw error;
    if (!String(error.code).startsWith('ERR_PARSE_ARGS_')) throw error;
    const isUnknown = error.code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION';
    const sentence = isUnknown ? unknownOption(config) : error.message;
    throw new UsageError(sentence, { cause: error });
  }
}

function unknownOption(config: ParseArgsConfig & { readonly options: object }): string {
  const { tokens } = parseArgs({ ...config, strict: false, tokens: true });
  const unknown = tokens.find(
    (it) => it.kind === 'option' && !Object.hasOwn(config.options, it.name),
  );
  const written = unknown?.kind === 'option' ? unknown.rawName : '';
  const known = [...Object.keys(config.options), 'help'].map((name) => `--${name}`);
  return `unknown option ${written}.${didYouMean(written, known)}`;
}

/** Requires exactly these arguments, in this order; `what` names them in errors. */
export function readWords(words: readonly string[], what: readonly string[]): readonly string[] {
  if (words.length > what.length) {
    throw new UsageError(`unexpected argument: ${words[what.length]}`);
  }
  const missing = what[words.length];
  if (missing !== undefined) throw new UsageError(`${missing} is missing`);
  return words;
}
