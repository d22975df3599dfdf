/** Runs npm: the one that started this process, or the machine's. */

import { execFileSync } from 'node:child_process';

const OUTPUT_BYTES_MAX = 64 * 1024 * 1024;

/** Returns npm's output; throws with it on failure. */
export function npm(cwd: string, ...words: readonly string[]): string {
  const program = process.env.npm_execpath;
  const [command, args] =
    program === undefined ? ['npm', words] : [process.execPath, [program, ...words]];
  return execFileSync(command, args, {
    cwd,
    encoding: 'utf8',
    maxBuffer: OUTPUT_BYTES_MAX,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}
