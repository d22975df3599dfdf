/**
 * What a shell can complete, read from the commands' own help: their words, the options of their usage texts
 * with descriptions, and which of their places take an instrument or an indicator.
 */

import type { Command } from '../command.ts';
import type { NameKind } from '../customer/known-names.ts';
import { quoted } from './shell-text.ts';

export interface CompletedOption {
  /** With its dashes. */
  readonly name: string;
  readonly takesValue: boolean;
  /** The words it takes, where the help lists them, or names that are remembered; empty: anything. */
  readonly values: readonly string[] | NameKind;
  /** It takes several, with commas between. */
  readonly isList: boolean;
  readonly description: string;
}

export interface CompletedCommand {
  readonly words: readonly string[];
  readonly summary: string;
  readonly options: readonly CompletedOption[];
  /** What stands in each place after the words; null: what only the user knows. */
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

/** The words that may follow these, each with a description. */
export function wordsAfter(
  commands: readonly CompletedCommand[],
  words: readonly string[],
): ReadonlyMap<string, string> {
  const next = new Map<string, string>();
  for (const command of commands) {
    const word = command.words[words.length];
    if (word === undefined || !words.every((it, index) => command.words[index] === it)) continue;
    const isWhole = command.words.length === words.length + 1;
    // A command that others begin with, as `instruments`, says what it does itself.
    if (!isWhole && next.has(word)) continue;
    const siblings = isWhole ? [] : childrenOf(commands, [...words, word]);
    next.set(word, isWhole ? command.summary : siblings.join(', '));
  }
  return next;
}

/** Every first word that another may follow: `keys`, `tape`, and `instruments`, which is a command too. */
export function prefixesOf(commands: readonly CompletedCommand[]): readonly string[] {
  return [
    ...new Set(commands.filter(({ words }) => words.length > 1).map(({ words }) => words[0]!)),
  ];
}

/** Options that take a value; one name takes a value in all commands or in none. */
export function valuedOptions(commands: readonly CompletedCommand[]): readonly string[] {
  const valued = commands.flatMap(({ options }) => options.filter((it) => it.takesValue));
  return [...new Set(valued.map(({ name }) => name))].sort();
}

/** Options that take several words; likewise in all commands or in none. */
export function listOptions(commands: readonly CompletedCommand[]): readonly string[] {
  const lists = commands.flatMap(({ options }) => options.filter((it) => it.isList));
  return [...new Set(lists.map(({ name }) => name))].sort();
}

/** Per option that takes only some words: the command with it, quoted, and what is written for the words, or for their kind. */
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

/** `live|confirmed`, or of a list `stream,history`; of `<anything>` none. */
function wordsOf(value: string): readonly string[] {
  return /^[a-z-]+(?:[|,][a-z-]+)+$/.test(value) ? value.split(/[|,]/) : [];
}

/** The first line of a usage names the places behind the words, options and their values aside. */
function placesOf(usage: string, path: readonly string[]): (NameKind | null)[] {
  const line = usage.split('\n')[0]!.replace(`Usage: tapeloom ${path.join(' ')}`, '');
  const places = line.replaceAll(/--[a-z-]+ \S+/g, '').matchAll(PLACE);
  return [...places].map(([, name]) => PLACE_KINDS[name!] ?? null);
}
