/** `tapeloom keys revoke`: ends a key at once, after a confirmation. */

import { tell } from '../accounts/account-options.ts';
import type { Command, CommandIo } from '../command.ts';
import { confirm } from '../customer/confirm.ts';
import { CUSTOMER_USAGE, customerClient, PLACE_OPTIONS } from '../customer/customer-options.ts';
import { ExitCode } from '../exit-codes.ts';
import { nsText } from '../keys-table.ts';
import { readArgs } from '../read-args.ts';

export const keysRevokeCommand: Command = {
  path: ['keys', 'revoke'],
  summary: 'End a key at once.',
  usage: `Usage: tapeloom keys revoke <id> [--yes] [options]

Ends a key: requests with it are refused and its streams are closed within a second. It cannot be undone.

  --yes               do not ask first
${CUSTOMER_USAGE}

Examples:
  tapeloom keys revoke key_3f2c9a
  tapeloom keys revoke key_3f2c9a --yes --json
`,
  run,
};

async function run(args: readonly string[], io: CommandIo): Promise<number> {
  const { values, words } = readArgs(args, {
    texts: PLACE_OPTIONS,
    flags: ['json', 'yes'],
    words: ['the id of the key (tapeloom keys list)'],
  });
  const id = words[0]!;
  if (
    !(await confirm(io, `End the key ${id}? Streams and programs that use it stop.`, values.yes))
  ) {
    io.stderr('Nothing was revoked.\n');
    return ExitCode.failure;
  }
  await using client = await customerClient(values, io);
  const key = await client.keys.revoke(id, { signal: io.signal });
  const since = key.revokedAt;
  const what = since === undefined ? 'had already ended' : `was revoked at ${nsText(since)}`;
  return tell(io, values.json, key, `The key "${key.name}" ${what}.\n`);
}
