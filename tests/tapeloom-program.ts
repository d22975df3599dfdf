/**
 * How tests start the program: as `npm test` has built it, which is what customers get and starts in half the time,
 * or from its sources, where nobody has built it.
 */

import { join } from 'node:path';

const built = process.env.BUILT_TAPELOOM;
const packages = join(import.meta.dirname, '../packages');

/** What Node is given to run a command; its words follow. */
export const COMMAND: readonly string[] = [built ?? join(packages, 'cli/src/main.ts')];
/** What Node is given to run the service; its options follow. */
export const SERVICE_OF_SOURCES: readonly string[] = [join(packages, 'server/start.js')];
export const SERVICE: readonly string[] =
  built === undefined ? SERVICE_OF_SOURCES : [built, 'serve'];
