/**
 * Installs the package `tapeloom` with its dependencies from the registry, by the machine's own
 * Node, which may be older than the package needs. One round is one installation.
 */

import { execFileSync } from 'node:child_process';
import { delimiter } from 'node:path';
import { useInstalled } from '../installed-package.ts';

export async function run({ rounds }: { readonly rounds: number }): Promise<void> {
  const node = machineNode();
  for (let round = 0; round < rounds; round += 1) await useInstalled({ node, isWhole: true });
}

/** The first Node on the path outside `node_modules`: npm puts the packages' one in front. */
function machineNode(): string {
  const path = (process.env.PATH ?? '')
    .split(delimiter)
    .filter((it) => !/node_modules|node-gyp-bin/.test(it));
  const env = { ...process.env, PATH: path.join(delimiter) };
  const words = ['-p', 'process.execPath + " " + process.version'];
  const [node, version] = execFileSync('node', words, { encoding: 'utf8', env }).trim().split(' ');
  console.log(`the machine has Node ${version}`);
  return node!;
}
