/** Completion for zsh, with descriptions: sourced, or as the file _tapeloom in a directory of $fpath. */

import { NAMES_DIRECTORY_IN_SHELL } from '../customer/known-names.ts';
import {
  type CompletedCommand,
  listOptions,
  prefixesOf,
  valueCases,
  valuedOptions,
  wordsAfter,
} from './completed-commands.ts';
import { quoted } from './shell-text.ts';

export function zshScript(commands: readonly CompletedCommand[]): string {
  const described = (entries: Iterable<readonly [string, string]>) =>
    [...entries].map(([name, text]) => quoted(`${name}:${text.replaceAll(':', '\\:')}`)).join(' ');
  const describe = commands.map(({ words, options, places }) => {
    const entries = options.map(({ name, description }) => [name, description] as const);
    const kinds = places.map((kind) => kind ?? '-').join(' ');
    return `    ${quoted(words.join(' '))}) options=(${described(entries)}) places=(${kinds}) ;;`;
  });
  const prefixes = prefixesOf(commands).map((prefix) => {
    return `      ${quoted(prefix)}) choices=(${described(wordsAfter(commands, [prefix]))}) ;;`;
  });
  return `#compdef tapeloom
# Completion of tapeloom for zsh. In ~/.zshrc, after compinit: source <(tapeloom completion zsh)

_tapeloom_describe() {
  case $1 in
${describe.join('\n')}
    *) return 1 ;;
  esac
}

_tapeloom_names() {
  local names="${NAMES_DIRECTORY_IN_SHELL}/$1"
  [[ -r $names ]] && choices+=(\${(f)"$(<$names)"})
  return 0
}

_tapeloom_values() {
  case $1 in
${valueCases(commands, { words: (known) => `choices=(${known})`, names: (kind) => `_tapeloom_names ${kind}` })}
    *) return 1 ;;
  esac
}

_tapeloom() {
  local -a options places choices valued lists listed
  local command='' previous=\${words[CURRENT - 1]} current=\${words[CURRENT]} taken='' each
  local -i first index place=1
  valued=(${valuedOptions(commands).join(' ')})
  lists=(${listOptions(commands).join(' ')})
  if ((CURRENT == 3)); then
    case \${words[2]} in
${prefixes.join('\n')}
    esac
  fi
  if ((CURRENT > 3)) && _tapeloom_describe "\${words[2]} \${words[3]}"; then
    command="\${words[2]} \${words[3]}" first=4
  elif ((CURRENT > 2)) && _tapeloom_describe "\${words[2]}"; then
    command=\${words[2]} first=3
  elif ((CURRENT == 2)); then
    choices=(${described(wordsAfter(commands, []))})
  fi
  if [[ -n $command ]]; then
    if ((\${valued[(Ie)$previous]})); then
      _tapeloom_values "$command $previous" || { _files; return }
      if ((\${lists[(Ie)$previous]})); then
        [[ $current == *,* ]] && taken="\${current%,*},"
        for each in $choices; do
          [[ ",$taken" == *",$each,"* ]] || listed+=("$taken$each")
        done
        choices=($listed)
      fi
    elif [[ $current == -* ]]; then
      _describe -o option options
      return
    else
      for ((index = first; index < CURRENT; index++)); do
        [[ \${words[index]} == -* ]] && continue
        ((\${valued[(Ie)\${words[index - 1]}]})) && continue
        place=$((place + 1))
      done
      _tapeloom_names "\${places[place]:--}"
    fi
  fi
  _describe word choices
}

if [[ \${funcstack[1]} == _tapeloom ]]; then
  _tapeloom "$@"
else
  compdef _tapeloom tapeloom
fi
`;
}
