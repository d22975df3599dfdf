/** `tapeloom key create`: creates an API key. The secret is printed once and stored nowhere. */

import { randomBytes } from 'node:crypto';
import { digestOf, newKeyText } from '@tapeloom/server/accounts/auth/secret';
import {
  KEYS_LISTED_MAX,
  type Refused,
  VALID_KEYS_MAX,
} from '@tapeloom/server/accounts/keys/keys-store';
import type { OnceRefused } from '@tapeloom/server/accounts/store/once';
import { COMMON_USAGE, findAccount, writeJson } from '../accounts/account-options.ts';
import { keyJson } from '../accounts/key-view.ts';
import { readNewKey } from '../accounts/new-key-options.ts';
import { type OperatorCall, operatorCommand } from '../accounts/operator-command.ts';
import { timeText } from '../accounts/time-text.ts';
import { UsageError } from '../command.ts';
import { marketsOf } from '../command-config.ts';

export const keyCreateCommand = operatorCommand({
  usage: `Usage: tapeloom key create --account <name> --name <text> --environment live|test --scopes <scopes> [options]

Creates a key that works at once, also on a running service. The secret is printed only this once: just its
digest is stored. An account has at most ${VALID_KEYS_MAX} valid keys, and ${KEYS_LISTED_MAX} with those that ended in the
last 30 days.

  --account <name>        the account's name or id, or its owner's e-mail address
  --name <text>           what the key is for, 1 to 64 characters
  --environment live|test  live has the rights of the plan, test those of the sandbox
  --scopes stream,history,export,keys  one or more of these, separated by commas
  --instruments <list>    only these symbols and aliases, up to 32 (default: all)
  --ips <list>            only from these addresses and CIDR ranges, up to 32 (default: any)
  --expires <time>        a date, an RFC 3339 time, or a span from now such as 90d (default: never)
${COMMON_USAGE}

Examples:
  tapeloom key create --account ada --name bot --environment live --scopes stream
  tapeloom key create --account ada --name trial --environment test --scopes stream,history --expires 30d`,
  words: [],
  options: ['account', 'name', 'environment', 'scopes', 'instruments', 'ips', 'expires'],
  run,
});

async function run({ values, isJson, data, now, call, io, open }: OperatorCall): Promise<number> {
  if (values.account === undefined)
    throw new UsageError('--account is missing: the account of the key');
  const wanted = await readNewKey(values, now, () => marketsOf(io, data));
  const store = await open();
  const account = await findAccount(store, values.account);
  const secret = newKeyText(wanted.environment, randomBytes);
  const key = await store.createKey(call, account.id, wanted, digestOf(secret));
  if ('refused' in key) {
    throw new Error(refusalText(key, account.name));
  }
  if (isJson) {
    writeJson(io, { ...keyJson(key, now), key: secret });
    return 0;
  }
  const scopes = key.scopes.join(', ');
  io.stdout(
    `Key ${key.id} of ${account.name}, ${key.environment}, for ${scopes}:\n\n  ${secret}\n\n` +
      'Save it now: it is not shown again.\n',
  );
  return 0;
}

function refusalText(refusal: Refused | OnceRefused, name: string): string {
  switch (refusal.refused) {
    case 'too-many-keys':
      return `${name} has ${VALID_KEYS_MAX} valid keys, which is the limit; revoke one first`;
    case 'list-full':
      return (
        `${name} has ${KEYS_LISTED_MAX} keys that are valid or ended in the last 30 days, which is the limit; ` +
        `you can create another one at ${timeText(refusal.until)}`
      );
    default:
      return `the key was not created: ${refusal.refused}`;
  }
}
