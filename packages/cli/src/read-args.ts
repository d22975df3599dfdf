/** The command line of one command: options by their names, and the words between them. */

import { parseArgs } from 'node:util';
import { UsageError } from './command.ts';

export interface TakenArgs<Text extends string, Flag extends string> {
  /** Options that have a text as their value. */
  readonly texts?: readonly Text[];
  /** Options that are there or not. */
  readonly flags?: readonly Flag[];
  /** What each word is, for the person who forgot one; null: the command looks at them itself. */
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
  const { values, positionals } = parseArgs({
    args: [...args],
    options: {
      ...Object.fromEntries(texts.map((name) => [name, { type: 'string' as const }])),
      ...Object.fromEntries(flags.map((name) => [name, { type: 'boolean' as const }])),
    },
    allowPositionals: true,
  });
  const absent = Object.fromEntries(flags.map((name) => [name, false]));
  return {
    values: { ...absent, ...values } as ReadArgs<Text, Flag>['values'],
    words: words === null ? positionals : readWords(positionals, words),
  };
}

/** Exactly these words, in this order; `what` names them for the person who forgot one. */
export function readWords(words: readonly string[], what: readonly string[]): readonly string[] {
  if (words.length > what.length) {
    throw new UsageError(`unexpected argument: ${words[what.length]}`);
  }
  const missing = what[words.length];
  if (missing !== undefined) throw new UsageError(`${missing} is missing`);
  return words;
}
