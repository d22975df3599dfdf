/** `tapeloom keys create`: the service creates a key of the account. The secret is printed once. */

import type { KeyEnvironment, KeyScope } from '@tapeloom/client';
import { createClock } from '@tapeloom/server/platform/system-clock';
import { tell } from '../accounts/account-options.ts';
import { readFutureTime } from '../accounts/time-text.ts';
import { type Command, type CommandIo, UsageError } from '../command.ts';
import {
  CUSTOMER_USAGE,
  clientAt,
  PLACE_OPTIONS,
  signedInPlace,
} from '../customer/customer-options.ts';
import { newKeyText } from '../customer/new-key-text.ts';
import { readArgs } from '../read-args.ts';

export const keysCreateCommand: Command = {
  path: ['keys', 'create'],
  summary: 'Create a key and print its secret once.',
  usage: `Usage: tapeloom keys create --name <text> --scopes <list> [options]

Creates a key of your account that works at once. The secret is printed only this once. A
key can only create keys with no more rights than its own, and needs the scope "keys" for that.

  --name <text>             what the key is for, 1 to 64 characters
  --scopes stream,history,export,keys  one or more of these, separated by commas
  --environment live|test   live has the rights of the plan, test those of the sandbox (default: as
                            the key you are signed in with)
  --instruments <list>      only these symbols and aliases, up to 32 (default: all)
  --ips <list>              only from these addresses and CIDR ranges, up to 32 (default: any)
  --expires <time>          a date, an RFC 3339 time, or a span from now such as 90d (default: never)
${CUSTOMER_USAGE}

Examples:
  tapeloom keys create --name 'my bot' --scopes stream
  tapeloom keys create --name nightly --scopes history,export --instruments ES.c.0,NQ.c.0 --expires 90d
  tapeloom keys create --name office --scopes stream --ips 192.0.2.0/24 --json | jq -r .key
`,
  run,
};

async function run(args: readonly string[], io: CommandIo): Promise<number> {
  const { values } = readArgs(args, {
    texts: [...PLACE_OPTIONS, 'name', 'scopes', 'environment', 'instruments', 'ips', 'expires'],
    flags: ['json'],
    words: [],
  });
  const { name, scopes, instruments, ips, expires } = values;
  if (name === undefined) throw new UsageError('--name is missing: the purpose of the key');
  if (scopes === undefined) throw new UsageError('--scopes is missing: what the key may do');
  const now = createClock({ kind: 'system' }).now();
  const expiresAt = expires === undefined ? null : readFutureTime('--expires', expires, now);
  const place = await signedInPlace(values, io);
  await using client = clientAt(place, io);
  const key = await client.keys.create(
    {
      name,
      // The service rejects an unknown word by its field, and lists the accepted ones.
      environment: (values.environment ?? environmentOf(place.key)) as KeyEnvironment,
      scopes: listOf(scopes) as KeyScope[],
      ...(instruments === undefined ? {} : { instruments: listOf(instruments) }),
      ...(ips === undefined ? {} : { allowedIps: listOf(ips) }),
      ...(expiresAt === null ? {} : { expiresAt }),
    },
    { signal: io.signal },
  );
  return tell(io, values.json, key, newKeyText(key));
}

function environmentOf(key: string): string {
  return key.startsWith('svc_test_') ? 'test' : 'live';
}

function listOf(text: string): string[] {
  return text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}
