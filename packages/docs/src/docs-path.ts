/** The absolute path of a file of the documentation, by its path below `docs/`. */

import { fileURLToPath } from 'node:url';

export function docsPath(path: string): string {
  return fileURLToPath(new URL(`../../../docs/${path}`, import.meta.url));
}
