/**
 * An operator's command that runs as root takes the identity of the data directory's owner, so that the service can
 * read and write what the command creates. Files owned by root would make the next start fail.
 */

import { statSync } from 'node:fs';
import { resolve } from 'node:path';

/** `args` are the command's own; the directory is resolved as the command resolves it. */
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
