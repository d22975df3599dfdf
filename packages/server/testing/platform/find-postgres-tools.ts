/**
 * The tools of PostgreSQL that tests may use, which npm's server comes without: those in the path, if they know a server as new as that
 * one; or the sentence that says why there are none.
 */

import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';

/** `pg_dump` refuses a server that is newer than itself. */
const VERSION_MIN = 18;

/** Why tests that need them are skipped; false where there are some. */
export const postgresToolsMissing: string | false = whatIsMissing();

/** What a tool said; rejects where it fails. */
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
