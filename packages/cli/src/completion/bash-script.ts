/** Completion for bash 3.2, which macOS has, or later: no associative arrays, only builtins and cat. */

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

export function bashScript(commands: readonly CompletedCommand[]): string {
  const words = (path: readonly string[]) => [...wordsAfter(commands, path).keys()].join(' ');
  const describe = commands.map(({ words: path, options, places }) => {
    const names = options.map(({ name }) => name).join(' ');
    const kinds = places.map((kind) => kind ?? '-').join(' ');
    return `    ${quoted(path.join(' '))}) options=${quoted(names)} places=(${kinds}) ;;`;
  });
  const prefixes = prefixesOf(commands).map((prefix) => {
    return `      ${quoted(prefix)}) choices=${quoted(words([prefix]))} ;;`;
  });
  return `# Completion of tapeloom for bash. In ~/.bashrc: source <(tapeloom completion bash)

_tapeloom_names() {
  cat "${NAMES_DIRECTORY_IN_SHELL}/$1" 2>/dev/null || true
}

_tapeloom_describe() {
  case $1 in
${describe.join('\n')}
    *) return 1 ;;
  esac
}

_tapeloom_values() {
  case $1 in
${valueCases(commands, { words: (known) => `echo ${quoted(known)}`, names: (kind) => `_tapeloom_names ${kind}` })}
    *) return 1 ;;
  esac
}

_tapeloom() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD - 1]}
  local valued=${quoted(` ${valuedOptions(commands).join(' ')} `)}
  local lists=${quoted(` ${listOptions(commands).join(' ')} `)} taken='' listed='' each
  local options='' places=() command='' choices='' first index place=0
  COMPREPLY=()
  if ((COMP_CWORD == 2)); then
    case \${COMP_WORDS[1]} in
${prefixes.join('\n')}
    esac
  fi
  if ((COMP_CWORD > 2)) && _tapeloom_describe "\${COMP_WORDS[1]} \${COMP_WORDS[2]}"; then
    command="\${COMP_WORDS[1]} \${COMP_WORDS[2]}" first=3
  elif ((COMP_CWORD > 1)) && _tapeloom_describe "\${COMP_WORDS[1]}"; then
    command=\${COMP_WORDS[1]} first=2
  elif ((COMP_CWORD == 1)); then
    choices=${quoted(`${words([])} --help --version`)}
  fi
  if [[ -n $command ]]; then
    if [[ $valued == *" $previous "* ]]; then
      if ! choices=$(_tapeloom_values "$command $previous"); then
        COMPREPLY=($(compgen -f -- "$current"))
        return
      fi
      if [[ $lists == *" $previous "* ]]; then
        [[ $current == *,* ]] && taken="\${current%,*},"
        for each in $choices; do
          [[ ",$taken" == *",$each,"* ]] || listed="$listed $taken$each"
        done
        choices=$listed
      fi
    elif [[ $current == -* ]]; then
      choices=$options
    else
      for ((index = first; index < COMP_CWORD; index++)); do
        [[ \${COMP_WORDS[index]} == -* ]] && continue
        [[ $valued == *" \${COMP_WORDS[index - 1]} "* ]] && continue
        place=$((place + 1))
      done
      case \${places[place]:-} in
        instruments | indicators) choices="$choices $(_tapeloom_names "\${places[place]}")" ;;
      esac
    fi
  fi
  COMPREPLY=($(compgen -W "$choices" -- "$current"))
}

complete -F _tapeloom tapeloom
`;
}
