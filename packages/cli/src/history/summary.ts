/**
 * The final output of a command with results: a sentence on stderr, or with `--json` one JSON line. That line goes to
 * stdout if the results went to a file, otherwise to stderr.
 */

import { writeJson } from '../accounts/account-options.ts';
import type { CommandIo } from '../command.ts';

export interface Summary {
  /** The file; null: the results went to stdout. */
  readonly out: string | null;
  readonly isJson: boolean;
  readonly sentence: string;
  readonly facts: Readonly<Record<string, unknown>>;
}

export function saySummary({ out, isJson, sentence, facts }: Summary, io: CommandIo): void {
  if (!isJson) io.stderr(`${sentence}\n`);
  else writeJson(out === null ? { stdout: io.stderr } : io, { ...facts, out });
}
