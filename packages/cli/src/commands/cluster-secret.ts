/** `tapeloom cluster secret`: changes the secret behind the tokens of exports. */

import { changeSecret } from '@tapeloom/server/operations/cluster/change-secret';
import { tell } from '../accounts/account-options.ts';
import { clusterPlace } from '../cluster/cluster-place.ts';
import type { CommandBody, CommandIo } from '../command.ts';
import { confirm } from '../customer/confirm.ts';
import { ExitCode } from '../exit-codes.ts';
import { readArgs } from '../read-args.ts';

export const clusterSecretCommand: CommandBody = {
  usage: `Usage: tapeloom cluster secret [--leaked] [--yes] [--json]

Makes a new secret for the tokens by which exports are resumed, for all nodes, which need no restart. It signs
a minute from now, when every node knows it. Tokens that were signed before stay good: for the 24 hours
that a token has, or until the secret is changed once more. Twice within a minute is refused.

  --leaked  somebody else may know the secret: tokens of before end at all nodes within ten seconds,
            and exports that had begun are started again, not resumed; asks first
  --yes     do not ask
  --json    JSON instead of text

Examples:
  tapeloom cluster secret
  tapeloom cluster secret --leaked`,
  run,
};

async function run(args: readonly string[], io: CommandIo): Promise<number> {
  const { values } = readArgs(args, { flags: ['leaked', 'yes', 'json'], words: [] });
  const { cluster } = await clusterPlace(io);
  const isLeaked = values.leaked === true;
  const question = 'End all tokens of exports? Exports that have begun start again.';
  if (isLeaked && !(await confirm(io, question, values.yes))) {
    io.stderr('Nothing was changed.\n');
    return ExitCode.failure;
  }
  await changeSecret(cluster, isLeaked);
  const text = isLeaked
    ? 'There is a new secret. Tokens of exports from before end within ten seconds.\n'
    : 'There is a new secret, which signs in a minute. Tokens from before stay good for their 24 hours, or until the next change.\n';
  return tell(io, values.json, { isChanged: true, endsOthers: isLeaked }, text);
}
