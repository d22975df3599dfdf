/** Writes the client as a package for `npm install`, which a service offers at `/downloads/`. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildClientPackage } from './client-package.ts';
import { writePackedFile } from './packed-file.ts';

export function writeClientDownload(target: string): void {
  const work = mkdtempSync(join(tmpdir(), 'client-download-'));
  try {
    const built = join(work, 'client');
    buildClientPackage(built);
    writePackedFile(built, target);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
