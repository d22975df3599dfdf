/**
 * The PostgreSQL tools for tests, which npm's server package does not include: those in the path, if they support its
 * version; otherwise a sentence that explains what is missing.
 */

import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';

/** `pg_dump` rejects a server newer than itself. */
const VERSION_MIN = 18;

/** Why tests that need them are skipped; false if they are present. */
export const postgresToolsMissing: string | false = whatIsMissing();

/** A tool's output; rejects if it fails. */
export async function postgresTool(
  name: 'pg_dump' | 'pg_restore',
  ...words: readonly string[]
): Promise<string> {
  const { stdout } = await promisify(execFile)(name, words);
  return stdout;
}

function whatIsMissing(): string | false {
  const said = spawnSync('pg_dump', ['--version'], { encoding: 'utf8' });
  const version = Number(/\) (\d+)/.exec(said.stdout ?? '')?.[1] ?? Number.NaN);
  if (Number.isNaN(version)) {
    return 'there is no pg_dump in the path';
  }
  return version < VERSION_MIN && `pg_dump ${version} is older than the server, ${VERSION_MIN}`;
}
