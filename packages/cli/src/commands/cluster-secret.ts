/** `tapeloom cluster secret`: changes the secret that signs export tokens. */

import { changeSecret } from '@tapeloom/server/operations/cluster/change-secret';
import { tell } from '../accounts/account-options.ts';
import { clusterPlace } from '../cluster/cluster-place.ts';
import type { CommandBody, CommandIo } from '../command.ts';
import { confirm } from '../customer/confirm.ts';
import { ExitCode } from '../exit-codes.ts';
import { readArgs } from '../read-args.ts';

export const clusterSecretCommand: CommandBody = {
  usage: `Usage: tapeloom cluster secret [--leaked] [--yes] [--json]

Creates a new secret for the tokens that resume exports, on all nodes, without a restart. It signs from
a minute from now on, when every node knows it. Tokens signed before stay valid: for the 24 hours
of a token, or until the secret is changed once more. A second change within a minute is refused.

  --leaked  the secret may be known to others: earlier tokens become invalid on all nodes within ten seconds,
            and running exports must be started again, not resumed; asks first
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
  const question = 'Invalidate all export tokens? Running exports must be started again.';
  if (isLeaked && !(await confirm(io, question, values.yes))) {
    io.stderr('Nothing was changed.\n');
    return ExitCode.failure;
  }
  await changeSecret(cluster, isLeaked);
  const text = isLeaked
    ? 'Created a new secret. Earlier export tokens become invalid within ten seconds.\n'
    : 'Created a new secret, which signs from a minute from now on. Earlier tokens stay valid for their 24 hours, or until the next change.\n';
  return tell(io, values.json, { isChanged: true, endsOthers: isLeaked }, text);
}
