/** `tapeloom account email`: the operator sets the owner of an account. */

import { normalEmail } from '@tapeloom/core/person/email-address';
import { COMMON_USAGE, findAccount, writeJson } from '../accounts/account-options.ts';
import { accountJson } from '../accounts/account-view.ts';
import { type OperatorCall, operatorCommand } from '../accounts/operator-command.ts';
import { portalOrigin, URL_USAGE } from '../accounts/portal-address.ts';
import { UsageError } from '../command.ts';

export const accountEmailCommand = operatorCommand({
  usage: `Usage: tapeloom account email <name> <address> [--url <address>] [--data <directory>] [--json]

Makes the owner of this e-mail address the owner of the account: they sign in to the portal with it. The
previous owner is signed out everywhere. No mail is sent.

  <name>              the account's name or id, or its owner's e-mail address
  <address>           an e-mail address that owns no other account
${URL_USAGE}
${COMMON_USAGE}

Examples:
  tapeloom account email demo you@example.com`,
  words: ['the name of the account', 'the e-mail address'],
  options: ['url'],
  run,
});

async function run({
  words,
  values,
  isJson,
  now,
  call,
  io,
  data,
  open,
}: OperatorCall): Promise<number> {
  const [name, text] = words as readonly [string, string];
  const address = normalEmail(text);
  if (address === null) {
    throw new UsageError(
      `the e-mail address must be such as you@example.com; got ${JSON.stringify(text)}`,
    );
  }
  const origin = portalOrigin(values.url, io, data);
  const store = await open();
  const account = await findAccount(store, name);
  const before = await store.people.ownerOf(account.id);
  const owner = await store.people.setOwner(call, account.id, address);
  if ('refused' in owner) {
    throw new Error(
      owner.refused === 'email-taken'
        ? `${address.email} already owns another account, and can own only one`
        : `the account ${name} has been deleted`,
    );
  }
  if (isJson) {
    writeJson(io, { ...accountJson(account, now), email: owner.email });
    return 0;
  }
  const instead = before === null ? '' : ` instead of ${before.email}`;
  io.stdout(
    `${account.name} is owned by ${owner.email}${instead}. They sign in at ${origin}/sign-in\n`,
  );
  return 0;
}
