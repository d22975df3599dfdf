/** `tapeloom completion`: a script that lets a shell complete commands, options and names. */

import { type Command, type LazyCommand, loadedCommand, UsageError } from '../command.ts';
import { bashScript } from '../completion/bash-script.ts';
import { type CompletedCommand, completedCommands } from '../completion/completed-commands.ts';
import { fishScript } from '../completion/fish-script.ts';
import { zshScript } from '../completion/zsh-script.ts';
import { rememberProfiles } from '../customer/known-names.ts';
import { ExitCode } from '../exit-codes.ts';
import { readArgs } from '../read-args.ts';

const SCRIPTS: Readonly<Record<string, (commands: readonly CompletedCommand[]) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

export function completionCommand(commands: () => readonly (Command | LazyCommand)[]): Command {
  return {
    path: ['completion'],
    group: 'shell',
    summary: 'Print a script that completes commands, options and names.',
    usage: `Usage: tapeloom completion bash|zsh|fish

Prints the script for a shell. It completes commands, their options and option values, the profiles you are
signed in with, and the instruments and indicators that tapeloom login, instruments or
indicators last read from the service.

Examples:
  source <(tapeloom completion bash)      # in ~/.bashrc
  source <(tapeloom completion zsh)       # in ~/.zshrc, after compinit
  tapeloom completion fish > ~/.config/fish/completions/tapeloom.fish
`,
    run: async (args, io) => {
      const shell = readArgs(args, { words: ['the shell (bash, zsh or fish)'] }).words[0]!;
      const script = Object.hasOwn(SCRIPTS, shell) ? SCRIPTS[shell] : undefined;
      if (script === undefined)
        throw new UsageError(`the shell must be bash, zsh or fish; got ${shell}`);
      // A starting shell runs this, so profiles of earlier sign-ins become known too.
      await rememberProfiles(io);
      const loaded = await Promise.all(commands().map(loadedCommand));
      io.stdout(script(completedCommands(loaded)));
      return ExitCode.ok;
    },
  };
}
