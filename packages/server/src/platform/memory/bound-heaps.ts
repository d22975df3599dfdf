/**
 * Bounds the heaps of all threads. By default V8 doubles the space for young objects (two semi-spaces) up to 64 MiB
 * while many survive, and lets a small heap grow to four times its size after the last full collection. Half that
 * space, and growth by half, cost no measurable time. V8 accepts the first bound for the main thread only on the
 * command line, so the process replaces itself once at its start, with the same id, arguments and environment. The
 * growth goes there too: it is part of the name of Node's compile cache, and with it set later the service and the
 * commands would refuse the code that the other has compiled, and compile it anew each time.
 */

import { existsSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';

const FLAG = '--max-semi-space-size';
const SEMI_SPACE_MIB = 16;
const GROWTH = '--heap-growing-percent=50';

export type StartedProcess = Pick<
  NodeJS.Process,
  'argv' | 'execArgv' | 'execPath' | 'platform' | 'env' | 'channel' | 'execve'
>;

/** Call it before loading anything else. A semi-space limit set by the operator stays. */
export function boundHeaps(started: StartedProcess = process): void {
  const { execPath, env, execve } = started;
  const bound = `${FLAG}=${SEMI_SPACE_MIB}`;
  if (!hasOwnBound(started)) {
    const args = [execPath, bound, GROWTH, ...started.execArgv, ...started.argv.slice(1)];
    if (mayReplace(started)) execve!.call(started, execPath, args, env);
    // Otherwise it applies to threads started from now on.
    setFlagsFromString(bound);
  }
  setFlagsFromString(GROWTH);
}

function hasOwnBound({ execArgv, env }: StartedProcess): boolean {
  const options = [...execArgv, ...(env.NODE_OPTIONS ?? '').split(/\s+/)];
  return options.some((option) => option.replaceAll('_', '-').startsWith(FLAG));
}

/** A process with an IPC channel to its parent would lose it. */
function mayReplace({ platform, channel, execve, execPath }: StartedProcess): boolean {
  const isPossible = execve !== undefined && platform !== 'win32';
  return isPossible && channel === undefined && existsSync(execPath);
}
