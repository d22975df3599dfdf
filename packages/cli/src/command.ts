/** The shape of every `tapeloom` command: a path of words, a usage text, and a run that returns an exit code. */

import type { ClientOptions } from '@tapeloom/client';
import type { AddressProbe } from '@tapeloom/server/markets/live/doctor/address-probe';
import type { Network } from '@tapeloom/server/markets/live/network';
import type { Clock } from '@tapeloom/server/platform/clock';
import type { ExitCode } from './exit-codes.ts';

/** The command as the list of commands shows it. */
export interface CommandName {
  /** The words of the command: `['tape', 'ls']`. */
  readonly path: readonly string[];
  /** One line of the list. */
  readonly summary: string;
  /** The heading in the list; default: customer commands. */
  readonly group?: CommandGroup;
  /** An operator's command that stays root when started as root: it handles file ownership itself. */
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

/** Customer commands call a service with a key; operator commands work on their own data directory. */
export type CommandGroup = 'customer' | 'operator' | 'shell';

export interface CommandIo {
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
  /** Resolves when stdout accepts more, for commands with large output. */
  readonly drained?: () => Promise<void>;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether stdout is a terminal that understands cursor movement and colour. */
  readonly isTerminal: boolean;
  /** Whether stderr is one: only there progress is a line that changes. */
  readonly isErrorTerminal: boolean;
  /** Monotonic milliseconds, for progress. */
  readonly now: () => number;
  readonly input: CommandInput;
  /** Aborted on SIGINT or SIGTERM. */
  readonly signal: AbortSignal;
  /** Replaces the platform's own in the client library. */
  readonly clientParts?: Pick<ClientOptions, 'fetch' | 'WebSocket' | 'clock' | 'random'>;
  /** Replaces the network and the time towards venues. */
  readonly feedParts?: {
    readonly network?: Network;
    readonly clock?: Clock;
    readonly probe?: AddressProbe;
  };
}

export interface CommandInput {
  /** Whether a person can be prompted. */
  readonly isTerminal: boolean;
  /** Prompts for a line; null when the input has ended. */
  ask(question: string, options?: { readonly isHidden?: boolean }): Promise<string | null>;
  readAll(): Promise<string>;
  /** The piped input in chunks, for inputs of any size. */
  bytes(): AsyncIterable<Uint8Array>;
}

/** Thrown for invalid arguments; the command line prints the usage. */
export class UsageError extends Error {}

/** Thrown when a command cannot do its work: a sentence, the exit code, and a code for programs. */
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
