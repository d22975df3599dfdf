/** `tapeloom logout`: removes a stored address and its key. The key itself stays valid. */

import { tell } from '../accounts/account-options.ts';
import type { Command, CommandIo } from '../command.ts';
import { profileName } from '../customer/customer-options.ts';
import { rememberProfiles } from '../customer/known-names.ts';
import { forgetProfile, profilesPath } from '../customer/profiles.ts';
import { readArgs } from '../read-args.ts';

export const logoutCommand: Command = {
  path: ['logout'],
  summary: 'Forget the address and the key.',
  usage: `Usage: tapeloom logout [--profile <name>] [--json]

Deletes the stored address and key. The key stays valid; tapeloom keys revoke ends it.

  --profile <name>    the profile (default: TAPELOOM_PROFILE or default)
  --json              JSON instead of text

Examples:
  tapeloom logout
  tapeloom logout --profile work
`,
  run,
};

async function run(args: readonly string[], io: CommandIo): Promise<number> {
  const { values } = readArgs(args, { texts: ['profile'], flags: ['json'], words: [] });
  const name = profileName(values, io);
  const path = profilesPath(io.env);
  const wasSignedIn = path !== null && (await forgetProfile(path, name));
  if (wasSignedIn) await rememberProfiles(io);
  const text = wasSignedIn
    ? `Signed out of ${name}.\n`
    : `Not signed in with the profile ${name}.\n`;
  return tell(io, values.json, { profile: name, wasSignedIn }, text);
}
