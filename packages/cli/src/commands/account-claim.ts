/** `tapeloom account claim`: a link by which somebody becomes the owner of an account that has none. */

import { randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import { digestOf, newLinkText } from '@tapeloom/server/accounts/auth/secret';
import { LINK_VALID_MINUTES } from '@tapeloom/server/accounts/store/people-store';
import { createClock } from '@tapeloom/server/platform/system-clock';
import {
  COMMON_OPTIONS,
  COMMON_USAGE,
  dataDirectory,
  findAccount,
  readWords,
  writeJson,
} from '../accounts/account-options.ts';
import { openAccounts } from '../accounts/open-accounts.ts';
import { portalOrigin, URL_OPTION, URL_USAGE } from '../accounts/portal-address.ts';
import { timeJson } from '../accounts/time-text.ts';
import type { CommandBody, CommandIo } from '../command.ts';

export const accountClaimCommand: CommandBody = {
  usage: `Usage: tapeloom account claim <name> [--url <address>] [--data <directory>] [--json]

Prints a link, good once and for ${LINK_VALID_MINUTES} minutes. Who opens it names an e-mail address, and becomes the owner of
the account by a second link that is mailed there. An account that has an owner is refused: account
email gives it another.

  <name>              the account's name or id
${URL_USAGE}
${COMMON_USAGE}

Examples:
  tapeloom account claim demo
  tapeloom account claim demo --url https://tapeloom.example.com`,
  run,
};

async function run(args: readonly string[], io: CommandIo): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: { ...COMMON_OPTIONS, ...URL_OPTION },
    allowPositionals: true,
  });
  const name = readWords(positionals, ['the name of the account'])[0]!;
  const origin = portalOrigin(values.url, io);
  await using store = await openAccounts(dataDirectory(values.data, io));
  const account = await findAccount(store, name);
  const owner = await store.people.ownerOf(account.id);
  if (owner !== null) {
    throw new Error(
      `${account.name} is owned by ${owner.email}; tapeloom account email gives it another owner`,
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
  if ('refused' in added) throw new Error('too many links were made; try again in an hour');
  const link = `${origin}/sign-in#${token}`;
  if (values.json === true) {
    writeJson(io, { account: account.name, link, expiresAt: timeJson(added.expiresAt) });
    return 0;
  }
  io.stdout(
    `Who opens this link within ${LINK_VALID_MINUTES} minutes can become the owner of ${account.name}, once:\n\n  ${link}\n`,
  );
  return 0;
}
