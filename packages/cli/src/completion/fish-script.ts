/** Completion for fish, with descriptions: sourced, or as ~/.config/fish/completions/tapeloom.fish. */

import {
  type CompletedCommand,
  type CompletedOption,
  prefixesOf,
  valuedOptions,
  wordsAfter,
} from './completed-commands.ts';
import { fishQuoted } from './shell-text.ts';

export function fishScript(commands: readonly CompletedCommand[]): string {
  const lines = [
    ...wordLines(commands, []),
    ...prefixesOf(commands).flatMap((prefix) => wordLines(commands, [prefix])),
    ...commands.flatMap(commandLines),
  ];
  return `# Completion of tapeloom for fish. Once: tapeloom completion fish > ~/.config/fish/completions/tapeloom.fish

function __tapeloom_at
    set -l words (commandline -opc)
    test "$words[2..]" = "$argv"
end

function __tapeloom_in
    set -l words (commandline -opc)
    set -l end (math (count $argv) + 1)
    test (count $words) -ge $end; and test "$words[2..$end]" = "$argv"
end

function __tapeloom_place
    set -l words (commandline -opc)
    set -l valued ${valuedOptions(commands).join(' ')}
    set -l taken 0
    set -l previous
    for word in $words[(math $argv[2] + 2)..]
        if not string match -q -- '-*' $word; and not contains -- "$previous" $valued
            set taken (math $taken + 1)
        end
        set previous $word
    end
    test $taken -eq $argv[1]
end

function __tapeloom_names
    set -l directory $XDG_CACHE_HOME
    test -n "$directory"; or set directory $HOME/.cache
    cat $directory/tapeloom/$argv[1] 2>/dev/null
end

function __tapeloom_list
    set -l taken (string match -r '^.*,' -- (commandline -ct); or echo '')
    printf '%s\\n' $taken$argv
end

complete -c tapeloom -f
complete -c tapeloom -n '__tapeloom_at' -l help -d 'list the commands'
complete -c tapeloom -n '__tapeloom_at' -l version -d 'print the version'
${lines.join('\n')}
`;
}

function wordLines(commands: readonly CompletedCommand[], path: readonly string[]): string[] {
  const at = fishQuoted(['__tapeloom_at', ...path].join(' '));
  return [...wordsAfter(commands, path)].map(
    ([word, text]) => `complete -c tapeloom -n ${at} -a ${word} -d ${fishQuoted(text)}`,
  );
}

function commandLines({ words, options, places }: CompletedCommand): string[] {
  const inside = `__tapeloom_in ${words.join(' ')}`;
  const names = places.flatMap((kind, place) => {
    if (kind === null) return [];
    const here = fishQuoted(`${inside}; and __tapeloom_place ${place} ${words.length}`);
    return [`complete -c tapeloom -n ${here} -a '(__tapeloom_names ${kind})'`];
  });
  return [...options.map((option) => optionLine(option, inside)), ...names];
}

function optionLine(option: CompletedOption, inside: string): string {
  const { name, description } = option;
  const text = fishQuoted(description);
  return `complete -c tapeloom -n ${fishQuoted(inside)} -l ${name.slice(2)}${valueText(option)} -d ${text}`;
}

function valueText({ takesValue, values, isList }: CompletedOption): string {
  if (values.length === 0) return takesValue ? ' -r -F' : '';
  const words = typeof values === 'string' ? `(__tapeloom_names ${values})` : values.join(' ');
  return ` -x -a ${fishQuoted(isList ? `(__tapeloom_list ${words})` : words)}`;
}
