/** `tapeloom logout`: forgets an address and its key. The key itself stays valid. */

import { parseArgs } from 'node:util';
import { readWords, writeJson } from '../accounts/account-options.ts';
import type { Command, CommandIo } from '../command.ts';
import { profileName } from '../customer/customer-options.ts';
import { forgetProfile, profilesPath } from '../customer/profiles.ts';

export const logoutCommand: Command = {
  path: ['logout'],
  summary: 'Forget the address and the key.',
  usage: `Usage: tapeloom logout [--profile <name>] [--json]

Deletes what tapeloom login has kept. The key stays valid; tapeloom keys revoke ends it.

  --profile <name>    which sign-in (default: TAPELOOM_PROFILE or default)
  --json              JSON instead of text

Examples:
  tapeloom logout
  tapeloom logout --profile work
`,
  run,
};

async function run(args: readonly string[], io: CommandIo): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: { profile: { type: 'string' }, json: { type: 'boolean' } },
    allowPositionals: true,
  });
  readWords(positionals, []);
  const name = profileName(values, io);
  const path = profilesPath(io.env);
  const wasSignedIn = path !== null && (await forgetProfile(path, name));
  if (values.json === true) writeJson(io, { profile: name, wasSignedIn });
  else io.stdout(wasSignedIn ? `Signed out of ${name}.\n` : `Nobody was signed in as ${name}.\n`);
  return 0;
}
