/** The `CommandIo` of tests: records output, and answers prompts from a list. */

import type { Command, CommandIo, LazyCommand } from '../src/command.ts';
import { dispatch } from '../src/dispatch.ts';

export interface RecordedIoOptions
  extends Partial<Pick<CommandIo, 'env' | 'isTerminal' | 'signal' | 'clientParts' | 'feedParts'>> {
  /** Receives the output in addition to the record. */
  readonly stdout?: CommandIo['stdout'];
  readonly stderr?: CommandIo['stderr'];
  /** Answers to prompts, in order; without a list, no prompt is possible. */
  readonly answers?: readonly string[];
  readonly piped?: string;
}

export class RecordedIo implements CommandIo {
  out = '';
  err = '';
  readonly env: CommandIo['env'];
  readonly isTerminal: boolean;
  readonly isErrorTerminal: boolean;
  /** A constant, so that progress output does not depend on the machine. */
  readonly now = () => 0;
  readonly interrupt = new AbortController();
  readonly signal: AbortSignal;
  readonly input: CommandIo['input'];
  readonly stdout: CommandIo['stdout'];
  readonly stderr: CommandIo['stderr'];
  readonly clientParts: NonNullable<CommandIo['clientParts']>;
  readonly feedParts: NonNullable<CommandIo['feedParts']>;
  /** The prompts, and whether their answers were hidden. */
  readonly asked: { readonly question: string; readonly isHidden: boolean }[] = [];

  constructor(options: RecordedIoOptions = {}) {
    const { env = {}, isTerminal = false, answers, piped = '', clientParts = {} } = options;
    this.env = env;
    this.isTerminal = isTerminal;
    this.isErrorTerminal = isTerminal;
    this.signal = options.signal ?? this.interrupt.signal;
    this.clientParts = clientParts;
    this.feedParts = options.feedParts ?? {};
    this.stdout = (text) => {
      this.out += text;
      options.stdout?.(text);
    };
    this.stderr = (text) => {
      this.err += text;
      options.stderr?.(text);
    };
    const rest = [...(answers ?? [])];
    this.input = {
      isTerminal: answers !== undefined,
      ask: async (question, { isHidden = false } = {}) => {
        this.asked.push({ question, isHidden });
        return rest.shift() ?? null;
      },
      readAll: async () => piped,
      bytes: async function* () {
        yield Buffer.from(piped);
      },
    };
  }
}

export async function runRecorded(
  commands: readonly (Command | LazyCommand)[],
  words: readonly string[],
  options: RecordedIoOptions = {},
): Promise<{ readonly code: number; readonly out: string; readonly err: string }> {
  const io = new RecordedIo(options);
  const code = await dispatch(commands, '1.2.3', words, io);
  return { code, out: io.out, err: io.err };
}
