/**
 * Collects the garbage of this thread at once. A thread that has nothing more to do allocates nothing, so nothing
 * makes its collector begin, and what its last work left behind would stay with the process.
 */

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

let collect: (() => void) | null = null;

export function collectGarbage(): void {
  if (collect === null) {
    setFlagsFromString('--expose-gc');
    collect = runInNewContext('gc') as () => void;
  }
  collect();
}
