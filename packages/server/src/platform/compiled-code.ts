/**
 * What Node has compiled of the program is kept for its next start. It lies beside the program, where nobody
 * can put anything who could not change the program itself; where this process may not write, every start
 * compiles anew.
 */

import { constants, enableCompileCache } from 'node:module';

/** Called before the larger part of the program is loaded. `NODE_COMPILE_CACHE` names another place. */
export function keepCompiledCode(directory: string): void {
  if (process.env.NODE_COMPILE_CACHE !== undefined) return;
  const { status } = enableCompileCache(directory);
  // Threads find it by the variable alone.
  if (status === constants.compileCacheStatus.ENABLED) process.env.NODE_COMPILE_CACHE = directory;
}
