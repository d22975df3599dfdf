/** `tapeloom keys revoke`: ends a key at once, after a question. */

import { parseArgs } from 'node:util';
import { readWords, writeJson } from '../accounts/account-options.ts';
import type { Command, CommandIo } from '../command.ts';
import { confirm } from '../customer/confirm.ts';
import { CUSTOMER_OPTIONS, CUSTOMER_USAGE, customerClient } from '../customer/customer-options.ts';
import { ExitCode } from '../exit-codes.ts';
import { nsText } from '../keys-table.ts';

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
  const { values, positionals } = parseArgs({
    args: [...args],
    options: { ...CUSTOMER_OPTIONS, yes: { type: 'boolean' } },
    allowPositionals: true,
  });
  const id = readWords(positionals, ['the id of the key (tapeloom keys list)'])[0]!;
  const isYes = values.yes === true;
  if (!(await confirm(io, `End the key ${id}? Streams and programs that use it stop.`, isYes))) {
    io.stderr('Nothing was revoked.\n');
    return ExitCode.failure;
  }
  await using client = await customerClient(values, io);
  const key = await client.keys.revoke(id, { signal: io.signal });
  if (values.json === true) writeJson(io, key);
  else if (key.revokedAt === undefined) io.stdout(`The key "${key.name}" had ended before.\n`);
  else io.stdout(`The key "${key.name}" is revoked since ${nsText(key.revokedAt)}.\n`);
  return ExitCode.ok;
}
