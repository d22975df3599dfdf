/**
 * A command of the operator on the accounts, of a data directory or of a cluster: what all of them do before and after their own work.
 * Options besides `--data` and `--json` have texts as values, flags have none.
 */

import type { EpochNs } from '@tapeloom/core/numbers';
import type { AccountStore } from '@tapeloom/server/accounts/store/account-store';
import { createClock } from '@tapeloom/server/platform/system-clock';
import type { CommandBody, CommandIo } from '../command.ts';
import { confirm } from '../customer/confirm.ts';
import { parsedArgs, readWords } from '../read-args.ts';
import { dataDirectory, tell } from './account-options.ts';
import { openAccounts } from './open-accounts.ts';

export const YES_USAGE = '  --yes               do not ask';

export interface OperatorCall {
  /** Those that were asked for, in their order. */
  readonly words: readonly string[];
  readonly values: Readonly<Record<string, string | undefined>>;
  /** Those that were given. */
  readonly flags: ReadonlySet<string>;
  readonly isJson: boolean;
  readonly data: string;
  readonly now: EpochNs;
  /** For what is recorded as the operator's doing. */
  readonly call: { readonly now: EpochNs; readonly actor: { readonly kind: 'operator' } };
  readonly io: CommandIo;
  /** The accounts, closed when the command has ended. */
  open(): Promise<AccountStore>;
  /** Whether to go on with what cannot be undone: somebody says so, or `--yes` did. */
  confirm(question: string): Promise<boolean>;
  /** What was found or done, as JSON or in words, and so the end. */
  tell(json: unknown, text: string): number;
}

export interface OperatorCommand {
  readonly usage: string;
  /** What each word is, for the person who forgot one; null: the command looks at them itself. */
  readonly words: readonly string[] | null;
  readonly options?: readonly string[];
  readonly flags?: readonly string[];
  run(call: OperatorCall): Promise<number>;
}

export function operatorCommand({
  usage,
  words,
  options = [],
  flags = [],
  run,
}: OperatorCommand): CommandBody {
  const named: Record<string, { readonly type: 'string' | 'boolean' }> = Object.fromEntries([
    ...options.map((name) => [name, { type: 'string' } as const]),
    ...flags.map((name) => [name, { type: 'boolean' } as const]),
  ]);
  return {
    usage,
    run: async (args, io) => {
      const { values, positionals } = parsedArgs(args, {
        data: { type: 'string' },
        json: { type: 'boolean' },
        ...named,
      });
      const { json = false, data: given, ...texts } = values as Partial<Record<string, unknown>>;
      const data = dataDirectory(given as string | undefined, io);
      const now = createClock({ kind: 'system' }).now();
      await using opened = new AsyncDisposableStack();
      return await run({
        words: words === null ? positionals : readWords(positionals, words),
        values: texts as OperatorCall['values'],
        flags: new Set(flags.filter((name) => texts[name] === true)),
        isJson: json === true,
        data,
        now,
        call: { now, actor: { kind: 'operator' } },
        io,
        open: async () => opened.use(await openAccounts(io, data)),
        confirm: async (question) => {
          if (await confirm(io, question, texts.yes === true)) return true;
          io.stderr('Nothing was changed.\n');
          return false;
        },
        tell: (value, text) => tell(io, json === true, value, text),
      });
    },
  };
}
