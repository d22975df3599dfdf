/** `tapeloom account claim`: a link by which a person becomes the owner of an account without one. */

import { randomBytes } from 'node:crypto';
import { digestOf, newLinkText } from '@tapeloom/server/accounts/auth/secret';
import { LINK_VALID_MINUTES } from '@tapeloom/server/accounts/people/people-store';
import { createClock } from '@tapeloom/server/platform/system-clock';
import { COMMON_USAGE, findAccount } from '../accounts/account-options.ts';
import { type OperatorCall, operatorCommand } from '../accounts/operator-command.ts';
import { portalOrigin, URL_USAGE } from '../accounts/portal-address.ts';
import { timeJson } from '../accounts/time-text.ts';

export const accountClaimCommand = operatorCommand({
  usage: `Usage: tapeloom account claim <name> [--url <address>] [--data <directory>] [--json]

Prints a link that works once and for ${LINK_VALID_MINUTES} minutes. Its user enters an e-mail address and becomes the owner of
the account with a second link, which is mailed there. An account with an owner is refused: use account
email to change its owner.

  <name>              the account's name or id
${URL_USAGE}
${COMMON_USAGE}

Examples:
  tapeloom account claim demo
  tapeloom account claim demo --url https://tapeloom.example.com`,
  words: ['the name of the account'],
  options: ['url'],
  run,
});

async function run({ words, values, io, data, open, tell }: OperatorCall): Promise<number> {
  const name = words[0]!;
  const origin = portalOrigin(values.url, io, data);
  const store = await open();
  const account = await findAccount(store, name);
  const owner = await store.people.ownerOf(account.id);
  if (owner !== null) {
    throw new Error(
      `${account.name} is owned by ${owner.email}; use tapeloom account email to change its owner`,
    );
  }
  const deletion = await store.people.deletionOf(account.id);
  if (deletion !== null && deletion.doneAt !== null) throw new Error(`${name} has been deleted`);
  const token = newLinkText(randomBytes);
  const added = await store.people.addLink(
    createClock({ kind: 'system' }).now(),
    digestOf(token).hash,
    { purpose: 'claim', address: null, accountId: account.id, askedFrom: null },
  );
  if ('refused' in added) throw new Error('too many links were created; try again in an hour');
  const link = `${origin}/sign-in#${token}`;
  return tell(
    { account: account.name, link, expiresAt: timeJson(added.expiresAt) },
    `This link makes its user the owner of ${account.name}. It works once and for ${LINK_VALID_MINUTES} minutes:\n\n  ${link}\n`,
  );
}
