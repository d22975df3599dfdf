/** What every command of `tapeloom` is: a path of words, a usage text, and a run that returns an exit code. */

export interface Command {
  /** The words that name it: `['tape', 'ls']`. */
  readonly path: readonly string[];
  /** One line for the list of commands. */
  readonly summary: string;
  /** Full help text, shown by `--help` and after a usage error. */
  readonly usage: string;
  /** Runs with the arguments after the path. 0 is success, 1 a finding or failure, 2 wrong usage. */
  run(args: readonly string[], io: CommandIo): Promise<number>;
}

export interface CommandIo {
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether stdout is a terminal that understands cursor movement and colour. */
  readonly isTerminal: boolean;
  /** Aborted on SIGINT or SIGTERM. */
  readonly signal: AbortSignal;
}

/** Thrown by a command for arguments it does not understand; the command line prints the usage. */
export class UsageError extends Error {}
