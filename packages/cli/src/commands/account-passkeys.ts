/** `tapeloom account passkeys`: lists the passkeys of an account's owner, and removes lost ones. */

import type { PasskeyRecord } from '@tapeloom/server/accounts/people/passkeys-store';
import type { AccountStore } from '@tapeloom/server/accounts/store/account-store';
import { COMMON_USAGE, findAccount } from '../accounts/account-options.ts';
import { type OperatorCall, operatorCommand, YES_USAGE } from '../accounts/operator-command.ts';
import { timeJson, timeText } from '../accounts/time-text.ts';
import { UsageError } from '../command.ts';
import { ExitCode } from '../exit-codes.ts';
import { tableText } from '../table-text.ts';

export const accountPasskeysCommand = operatorCommand({
  usage: `Usage: tapeloom account passkeys <name> [--remove <id> | --remove-all] [--yes] [--data <directory>] [--json]

Shows the passkeys of the account's owner, whether sign-in links also require one, and whether a recovery is
under way. Removing asks first. Verify who requested it: without passkeys, anyone who can read the owner's
mail can sign in and do everything. The owner is informed by mail.

  <name>              the account's name or id, or its owner's e-mail address
  --remove <id>       remove this passkey
  --remove-all        remove all of them, without the 24 hours that the owner's own recovery takes
${YES_USAGE}
${COMMON_USAGE}

Examples:
  tapeloom account passkeys ada@example.com
  tapeloom account passkeys ada --remove-all`,
  words: ['the name of the account'],
  options: ['remove'],
  flags: ['remove-all', 'yes'],
  run,
});

async function run(operator: OperatorCall): Promise<number> {
  const { words, values, flags, open, tell } = operator;
  if (values.remove !== undefined && flags.has('remove-all')) {
    throw new UsageError('use either --remove or --remove-all, not both');
  }
  const store = await open();
  const { id, name } = await findAccount(store, words[0]!);
  const passkeys = await store.passkeys.passkeysOf(id);
  if (values.remove !== undefined || flags.has('remove-all')) {
    const chosen = passkeys.filter((one) => flags.has('remove-all') || one.id === values.remove);
    return await remove(operator, store, { id, name }, chosen);
  }
  const owner = await store.people.ownerOf(id);
  const recovery = await store.passkeys.recoveryOf(id);
  const json = {
    account: name,
    passkeys: passkeys.map((one) => ({
      id: one.id,
      name: one.name,
      createdAt: timeJson(one.createdAt),
      lastUsedAt: timeJson(one.lastUsedAt),
    })),
    secondFactor: owner?.secondFactor ?? false,
    recoveryDueAt: timeJson(recovery?.dueAt ?? null),
  };
  if (passkeys.length === 0) return tell(json, `${name} has no passkeys.\n`);
  const facts = [
    json.secondFactor ? 'Sign-in links also require a passkey.\n' : '',
    recovery === null
      ? ''
      : `A recovery is under way: all are removed at ${timeText(recovery.dueAt)}.\n`,
  ];
  return tell(json, `${table(passkeys)}${facts.join('')}`);
}

async function remove(
  { call, confirm, tell, values }: OperatorCall,
  { passkeys }: AccountStore,
  { id, name }: { readonly id: string; readonly name: string },
  chosen: readonly PasskeyRecord[],
): Promise<number> {
  if (chosen.length === 0) {
    const which = values.remove === undefined ? 'passkeys' : `passkey with the id ${values.remove}`;
    throw new Error(`${name} has no ${which}`);
  }
  const names = chosen.map((one) => `"${one.name}"`).join(', ');
  if (!(await confirm(`Remove ${names} of ${name}?`))) return ExitCode.failure;
  const removed =
    values.remove === undefined
      ? await passkeys.removePasskeys(call, id)
      : Number(await passkeys.removePasskey(call, id, values.remove));
  const many = removed === 1 ? '1 passkey is' : `${removed} passkeys are`;
  return tell(
    { account: name, removed },
    `${many} removed from ${name}. The owner is informed by mail.\n`,
  );
}

function table(passkeys: readonly PasskeyRecord[]): string {
  const columns = ['id', 'name', 'added', 'last used'].map((title) => ({ title }));
  return tableText(
    columns,
    passkeys.map((one) => [
      one.id,
      one.name,
      timeText(one.createdAt),
      one.lastUsedAt === null ? 'never' : timeText(one.lastUsedAt),
    ]),
  );
}
