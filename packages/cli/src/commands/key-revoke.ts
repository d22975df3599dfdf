/** `tapeloom key revoke`: ends a key for good. */

import { keyStateAt } from '@tapeloom/core/entitlement/key-rights';
import { COMMON_USAGE } from '../accounts/account-options.ts';
import { keyJson } from '../accounts/key-view.ts';
import { type OperatorCall, operatorCommand, YES_USAGE } from '../accounts/operator-command.ts';
import { timeText } from '../accounts/time-text.ts';
import { ExitCode } from '../exit-codes.ts';

export const keyRevokeCommand = operatorCommand({
  usage: `Usage: tapeloom key revoke <id> [--yes] [--data <directory>] [--json]

The key is rejected from now on; a running service closes its connections within a second. A key that
has already ended stays as it is. This cannot be undone: create another key instead.

  <id>                the key's id, as tapeloom key list shows it
${YES_USAGE}
${COMMON_USAGE}

Examples:
  tapeloom key revoke key_3f2c9a
  tapeloom key revoke key_3f2c9a --yes`,
  words: ['the id of the key'],
  flags: ['yes'],
  run,
});

async function run({ words, now, call, open, confirm, tell }: OperatorCall): Promise<number> {
  const id = words[0]!;
  const store = await open();
  const found = await store.findKeyById(null, id);
  if (found === null) throw unknownKey(id);
  const { account } = found;
  const state = keyStateAt(found.key, now);
  const question = `Revoke the key "${found.key.name}" of ${account.name}? Programs that use it are rejected from now on.`;
  const isValid = state === 'active' || state === 'expiring';
  if (isValid && !(await confirm(question))) return ExitCode.failure;
  const key = await store.revokeKey(call, account.id, id);
  if ('refused' in key) throw unknownKey(id);
  const { name, revokedAt } = key;
  const became =
    revokedAt === null
      ? 'had already expired; nothing changed'
      : `was revoked at ${timeText(revokedAt)}`;
  return tell(keyJson(key, now), `The key "${name}" of ${account.name} ${became}.\n`);
}

function unknownKey(id: string): Error {
  return new Error(`no key has the id ${id}; tapeloom key list --account <name> shows them`);
}
