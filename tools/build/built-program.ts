/**
 * The bundled program, for tests that start it repeatedly: it starts in half the time of the sources. Equal sources get
 * the same path, so that Node's compile cache is reused and parallel runs do not interfere.
 */

import { createHash } from 'node:crypto';
import {
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { bundleTapeloom } from './tapeloom-package.ts';

const KEPT_MS = 24 * 3_600_000;

/** Builds below `directory`, and resolves to the program's path. */
export async function builtProgram(directory: string): Promise<string> {
  const part = join(directory, `part-${process.pid}`);
  await bundleTapeloom(part);
  writeFileSync(join(part, 'package.json'), '{ "type": "module" }\n');
  const hash = createHash('sha256');
  for (const name of readdirSync(part).sort())
    hash.update(name).update(readFileSync(join(part, name)));
  const place = join(directory, hash.digest('hex').slice(0, 16));
  if (existsSync(place)) rmSync(part, { recursive: true });
  else renameSync(part, place);
  utimesSync(place, new Date(), new Date());
  for (const name of readdirSync(directory)) removeOld(join(directory, name));
  return join(place, 'tapeloom.js');
}

function removeOld(path: string): void {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat !== undefined && Date.now() - stat.mtimeMs > KEPT_MS) rmSync(path, { recursive: true });
}
