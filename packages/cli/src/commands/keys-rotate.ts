/** `tapeloom keys rotate`: replaces a key; the old one ends at once or after a grace period. */

import { tell } from '../accounts/account-options.ts';
import { type Command, type CommandIo, UsageError } from '../command.ts';
import { confirm } from '../customer/confirm.ts';
import { CUSTOMER_USAGE, customerClient, PLACE_OPTIONS } from '../customer/customer-options.ts';
import { newKeyText } from '../customer/new-key-text.ts';
import { ExitCode } from '../exit-codes.ts';
import { nsText } from '../keys-table.ts';
import { readArgs } from '../read-args.ts';

const GRACE = /^(\d{1,6})(s|m|h|d)$/;
const UNIT_SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };

export const keysRotateCommand: Command = {
  path: ['keys', 'rotate'],
  summary: 'Replace a key by a new one with the same rights.',
  usage: `Usage: tapeloom keys rotate <id> [--grace <span>] [--yes] [options]

Creates a key with the same scopes, restrictions and expiry, and prints its secret only this once. The old key
stays valid for the grace period, so that programs can change over; 0s ends it at once, after a question. If you rotate
the key you are signed in with, sign in again with the new one.

  --grace <span>      how long the old key stays valid: 0s, 30m, 24h, up to 7d (default: 1d)
  --yes               do not ask
${CUSTOMER_USAGE}

Examples:
  tapeloom keys rotate key_3f2c9a
  tapeloom keys rotate key_3f2c9a --grace 1h
  tapeloom keys rotate key_3f2c9a --grace 0s --yes --json | jq -r .key
`,
  run,
};

async function run(args: readonly string[], io: CommandIo): Promise<number> {
  const { values, words } = readArgs(args, {
    texts: [...PLACE_OPTIONS, 'grace'],
    flags: ['json', 'yes'],
    words: ['the id of the key (tapeloom keys list)'],
  });
  const id = words[0]!;
  const gracePeriodSeconds = readGrace(values.grace ?? '1d');
  const question = `End the key ${id} at once? Streams and programs that use it stop.`;
  if (gracePeriodSeconds === 0 && !(await confirm(io, question, values.yes))) {
    io.stderr('Nothing was rotated.\n');
    return ExitCode.failure;
  }
  await using client = await customerClient(values, io);
  const key = await client.keys.rotate(id, { gracePeriodSeconds }, { signal: io.signal });
  const { previous } = key;
  const until =
    previous.expiresAt === undefined ? '' : ` and ends at ${nsText(previous.expiresAt)}`;
  const old = `The old key ${previous.id} is ${previous.state}${until}.\n`;
  return tell(io, values.json, key, `${newKeyText(key)}${old}`);
}

function readGrace(text: string): number {
  const match = GRACE.exec(text);
  if (match !== null) return Number(match[1]) * UNIT_SECONDS[match[2]!]!;
  throw new UsageError(`--grace must be a span like 0s, 30m, 24h or 7d; got ${text}`);
}
