/**
 * A running service's addresses in its data directory, for commands beside it, whatever its settings and ports are.
 * Like `lock.pid` it is informative: only the lock shows whether a service runs.
 */

import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDirectoryInUse } from './disk/directory-lock.ts';
import { OWNER_ONLY } from './disk/private-file.ts';

const NAME = 'service.json';

export interface ServiceNote {
  readonly pid: number;
  readonly version: string;
  /** The public origin; null on a node without public endpoints. */
  readonly portal: string | null;
  readonly internal: string;
}

/** Disposing removes the note. */
export function leaveServiceNote(data: string, note: ServiceNote): Disposable {
  const path = join(data, NAME);
  writeFileSync(path, `${JSON.stringify(note)}\n`, { mode: OWNER_ONLY });
  return { [Symbol.dispose]: () => rmSync(path, { force: true }) };
}

/** Null: no service runs on this directory, or it is not up yet. */
export function readServiceNote(data: string): ServiceNote | null {
  if (!isDirectoryInUse(data)) return null;
  try {
    return JSON.parse(readFileSync(join(data, NAME), 'utf8')) as ServiceNote;
  } catch {
    return null;
  }
}
