/**
 * What a shell can complete, read from the commands' own help: their words, the options of the usage texts with
 * descriptions, and the positions that take an instrument or an indicator.
 */

import type { Command } from '../command.ts';
import type { NameKind } from '../customer/known-names.ts';
import { quoted } from './shell-text.ts';

export interface CompletedOption {
  /** Includes the dashes. */
  readonly name: string;
  readonly takesValue: boolean;
  /** The values listed in the help, or a kind of remembered names; empty: any value. */
  readonly values: readonly string[] | NameKind;
  /** Takes several values, separated by commas. */
  readonly isList: boolean;
  readonly description: string;
}

export interface CompletedCommand {
  readonly words: readonly string[];
  readonly summary: string;
  readonly options: readonly CompletedOption[];
  /** The kind of each positional argument; null: free text. */
  readonly places: readonly (NameKind | null)[];
}

/** `  --mode live|confirmed   what it does`, two spaces or more before the description. */
const OPTION_LINE = /^ {2}(--[a-z][a-z-]*)(?: (\S+))? {2,}(\S.*)$/gm;
const PLACE = /<([a-z][^>]*)>/g;
const PLACE_KINDS: Readonly<Record<string, NameKind>> = {
  instrument: 'instruments',
  indicator: 'indicators',
};
const OPTION_NAMES: Readonly<Record<string, NameKind>> = {
  '--profile': 'profiles',
  '--instruments': 'instruments',
};
const LISTS: readonly string[] = ['--instruments'];
const HELP: CompletedOption = {
  name: '--help',
  takesValue: false,
  values: [],
  isList: false,
  description: 'explain the command',
};

export function completedCommands(commands: readonly Command[]): readonly CompletedCommand[] {
  return commands.map(({ path, summary, usage }) => ({
    words: path,
    summary,
    options: [...optionsOf(usage).filter(({ name }) => name !== HELP.name), HELP],
    places: placesOf(usage, path),
  }));
}

/** The words that may follow the given ones, each with a description. */
export function wordsAfter(
  commands: readonly CompletedCommand[],
  words: readonly string[],
): ReadonlyMap<string, string> {
  const next = new Map<string, string>();
  for (const command of commands) {
    const word = command.words[words.length];
    if (word === undefined || !words.every((it, index) => command.words[index] === it)) continue;
    const isWhole = command.words.length === words.length + 1;
    // A command that others begin with, such as `instruments`, keeps its own summary.
    if (!isWhole && next.has(word)) continue;
    const siblings = isWhole ? [] : childrenOf(commands, [...words, word]);
    next.set(word, isWhole ? command.summary : siblings.join(', '));
  }
  return next;
}

/** Every first word that a second may follow: `keys`, `tape`, and `instruments`, itself a command. */
export function prefixesOf(commands: readonly CompletedCommand[]): readonly string[] {
  return [
    ...new Set(commands.filter(({ words }) => words.length > 1).map(({ words }) => words[0]!)),
  ];
}

/** Options with a value. An option takes a value in all commands or in none. */
export function valuedOptions(commands: readonly CompletedCommand[]): readonly string[] {
  const valued = commands.flatMap(({ options }) => options.filter((it) => it.takesValue));
  return [...new Set(valued.map(({ name }) => name))].sort();
}

/** Options with a list of values; likewise in all commands or in none. */
export function listOptions(commands: readonly CompletedCommand[]): readonly string[] {
  const lists = commands.flatMap(({ options }) => options.filter((it) => it.isList));
  return [...new Set(lists.map(({ name }) => name))].sort();
}

/**
 * For each option with limited values: the command and option, quoted, and `write`'s text for its values or their kind.
 */
export function valueCases(
  commands: readonly CompletedCommand[],
  write: { readonly words: (known: string) => string; readonly names: (kind: NameKind) => string },
): string {
  const cases = commands.flatMap(({ words, options }) =>
    options
      .filter((option) => option.values.length > 0)
      .map(({ name, values }) => {
        const choices =
          typeof values === 'string' ? write.names(values) : write.words(values.join(' '));
        return `    ${quoted([...words, name].join(' '))}) ${choices} ;;`;
      }),
  );
  return cases.join('\n');
}

function childrenOf(commands: readonly CompletedCommand[], words: readonly string[]): string[] {
  return commands
    .filter((it) => words.every((word, index) => it.words[index] === word))
    .map((it) => it.words[words.length]!);
}

function optionsOf(usage: string): CompletedOption[] {
  return [...usage.matchAll(OPTION_LINE)].map(([, name, value, description]) => ({
    name: name!,
    takesValue: value !== undefined,
    values: value === undefined ? [] : (OPTION_NAMES[name!] ?? wordsOf(value)),
    isList: LISTS.includes(name!) || /^[a-z-]+,[a-z,-]+$/.test(value ?? ''),
    description: description!.replace(/ \(default.*$/, ''),
  }));
}

/** `live|confirmed`, or the list `stream,history`; none for `<anything>`. */
function wordsOf(value: string): readonly string[] {
  return /^[a-z-]+(?:[|,][a-z-]+)+$/.test(value) ? value.split(/[|,]/) : [];
}

/** The first line of a usage names the positional arguments, apart from options and their values. */
function placesOf(usage: string, path: readonly string[]): (NameKind | null)[] {
  const line = usage.split('\n')[0]!.replace(`Usage: tapeloom ${path.join(' ')}`, '');
  const places = line.replaceAll(/--[a-z-]+ \S+/g, '').matchAll(PLACE);
  return [...places].map(([, name]) => PLACE_KINDS[name!] ?? null);
}
