/**
 * An operator's command that runs as root works as the owner of the data directory: what it writes there is the service's to
 * read and to write. Files that root had made would keep the next start from opening them.
 */

import { statSync } from 'node:fs';
import { resolve } from 'node:path';

/** `args` are those of the command; its directory is found as the command finds it. */
export function takeOwner(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): void {
  if (process.geteuid?.() !== 0) return;
  const directory = resolve(dataIn(args) ?? env.TAPELOOM_DATA ?? './data');
  const owner = statSync(directory, { throwIfNoEntry: false });
  if (owner === undefined || owner.uid === 0) return;
  process.setgroups!([owner.gid]);
  process.setegid!(owner.gid);
  process.seteuid!(owner.uid);
}

function dataIn(args: readonly string[]): string | undefined {
  const joined = args.find((arg) => arg.startsWith('--data='));
  if (joined !== undefined) return joined.slice('--data='.length);
  const index = args.indexOf('--data');
  return index === -1 ? undefined : args[index + 1];
}
