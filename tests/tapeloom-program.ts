/**
 * How tests start the program: as built by `npm test`, which customers get and which starts in half
 * the time, or from the sources if nothing was built.
 */

import { join } from 'node:path';

const built = process.env.BUILT_TAPELOOM;
const packages = join(import.meta.dirname, '../packages');

/** Arguments for Node to run a command; its words follow. */
export const COMMAND: readonly string[] = [built ?? join(packages, 'cli/src/main.ts')];
/** Arguments for Node to run the service; its options follow. */
export const SERVICE_OF_SOURCES: readonly string[] = [join(packages, 'server/start.js')];
/** With the bounds that a service sets itself, by starting its process once more: see `bound-heaps.ts`. */
export const SERVICE: readonly string[] =
  built === undefined
    ? SERVICE_OF_SOURCES
    : ['--max-semi-space-size=16', '--heap-growing-percent=50', built, 'serve'];
