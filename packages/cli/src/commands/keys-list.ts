/** `tapeloom keys list`: the account's keys, from the service. */

import { tell } from '../accounts/account-options.ts';
import type { Command, CommandIo } from '../command.ts';
import { CUSTOMER_USAGE, customerClient, PLACE_OPTIONS } from '../customer/customer-options.ts';
import { keysTable } from '../keys-table.ts';
import { readArgs } from '../read-args.ts';

export const keysListCommand: Command = {
  path: ['keys', 'list'],
  summary: 'List the keys of the account.',
  usage: `Usage: tapeloom keys list [options]

Lists the valid keys and those that ended in the last 30 days. The key you are signed in with needs the
scope "keys".

${CUSTOMER_USAGE}

Examples:
  tapeloom keys list
  tapeloom keys list --json | jq -r '.keys[] | select(.state == "active").id'
`,
  run,
};

async function run(args: readonly string[], io: CommandIo): Promise<number> {
  const { values } = readArgs(args, { texts: PLACE_OPTIONS, flags: ['json'], words: [] });
  await using client = await customerClient(values, io);
  const keys = await client.keys.list({ signal: io.signal });
  return tell(io, values.json, { keys }, keysTable(keys));
}
