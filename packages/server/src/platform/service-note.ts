/**
 * What a running service says of itself in its data directory, for commands beside it: where it is reached, whatever its
 * settings and ports were. Like `lock.pid` it is for people and commands: whether a service runs is told by the lock alone.
 */

import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDirectoryInUse } from './disk/directory-lock.ts';
import { OWNER_ONLY } from './disk/private-file.ts';

const NAME = 'service.json';

export interface ServiceNote {
  readonly pid: number;
  readonly version: string;
  /** Where people reach it; null on a node without public doors. */
  readonly portal: string | null;
  /** Where metrics and health are. */
  readonly internal: string;
}

/** Removed when it is disposed of. */
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
