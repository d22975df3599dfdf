/**
 * The frame of the operator's commands on the accounts of a data directory or a cluster: what happens before and after
 * each one's own work. Options besides `--data` and `--json` take text values; flags take none.
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
  /** The positional arguments, in the order of the declared words. */
  readonly words: readonly string[];
  readonly values: Readonly<Record<string, string | undefined>>;
  /** The flags that were given. */
  readonly flags: ReadonlySet<string>;
  readonly isJson: boolean;
  readonly data: string;
  readonly now: EpochNs;
  /** Records the operator as the actor. */
  readonly call: { readonly now: EpochNs; readonly actor: { readonly kind: 'operator' } };
  readonly io: CommandIo;
  /** Opens the accounts; the frame closes them when the command ends. */
  open(): Promise<AccountStore>;
  /** Asks before what cannot be undone; true at once with `--yes`. */
  confirm(question: string): Promise<boolean>;
  /** Prints the outcome as JSON or as text. Returns exit code 0. */
  tell(json: unknown, text: string): number;
}

export interface OperatorCommand {
  readonly usage: string;
  /** What each positional argument is, for the error about a missing one; null: the command checks them itself. */
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
