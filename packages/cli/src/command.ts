/** What every command of `tapeloom` is: a path of words, a usage text, and a run that returns an exit code. */

import type { ClientOptions } from '@tapeloom/client';
import type { ExitCode } from './exit-codes.ts';

/** How the list of commands names one. */
export interface CommandName {
  /** The words that name it: `['tape', 'ls']`. */
  readonly path: readonly string[];
  /** One line for the list. */
  readonly summary: string;
  /** Under which heading the list shows it; by default among the customers'. */
  readonly group?: CommandGroup;
  /** Of an operator's: as root it stays root, and sees itself to whose its files are. */
  readonly keepsUser?: boolean;
}

export interface CommandBody {
  /** Full help text with examples, shown by `--help` and after a usage error. Completion reads its options. */
  readonly usage: string;
  /** Runs with the arguments after the path; the result is one of `ExitCode`. */
  run(args: readonly string[], io: CommandIo): Promise<number>;
}

export interface Command extends CommandName, CommandBody {}

/** A command whose code is loaded when it is called. */
export interface LazyCommand extends CommandName {
  load(): Promise<CommandBody>;
}

/** Customers' commands ask a service with a key; operators' work on a data directory of their own. */
export type CommandGroup = 'customer' | 'operator' | 'shell';

export interface CommandIo {
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
  /** Resolves when what was written to stdout is on its way, for who has much to say. */
  readonly drained?: () => Promise<void>;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether stdout is a terminal that understands cursor movement and colour. */
  readonly isTerminal: boolean;
  /** Whether stderr is one: progress is a line that changes there. */
  readonly isErrorTerminal: boolean;
  /** Milliseconds that only go forward, for progress. */
  readonly now: () => number;
  readonly input: CommandInput;
  /** Aborted on SIGINT or SIGTERM. */
  readonly signal: AbortSignal;
  /** What the client library gets instead of the platform's own. */
  readonly clientParts?: Pick<ClientOptions, 'fetch' | 'WebSocket' | 'clock' | 'random'>;
}

export interface CommandInput {
  /** Whether somebody sits there who can be asked. */
  readonly isTerminal: boolean;
  /** The line that is typed after a question; null when the input has ended. */
  ask(question: string, options?: { readonly isHidden?: boolean }): Promise<string | null>;
  /** All that is piped in. */
  readAll(): Promise<string>;
  /** The same in pieces, however much it is. */
  bytes(): AsyncIterable<Uint8Array>;
}

/** Thrown by a command for arguments it does not understand; the command line prints the usage. */
export class UsageError extends Error {}

/** Thrown by a command that cannot do what was asked: a sentence, the exit code, and a code for programs. */
export class CommandError extends Error {
  readonly exitCode: ExitCode;
  readonly code: string;

  constructor(message: string, exitCode: ExitCode, code = 'FAILED', options?: ErrorOptions) {
    super(message, options);
    this.exitCode = exitCode;
    this.code = code;
  }
}

export async function loadedCommand(command: Command | LazyCommand): Promise<Command> {
  return 'load' in command ? { ...command, ...(await command.load()) } : command;
}
