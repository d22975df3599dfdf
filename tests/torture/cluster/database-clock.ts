/** Shifts the database clock, by which nodes measure time, by replacing its SQL functions. */

import { openPostgres } from '@tapeloom/server/platform/postgres/postgres';

const FUNCTIONS = {
  'tapeloom_now() returns bigint language sql volatile': 'clock_timestamp()',
  'tapeloom_started_at() returns bigint language sql stable': 'pg_postmaster_start_time()',
};

export async function setDatabaseClock(url: string, aheadMs: number): Promise<void> {
  await using postgres = openPostgres({ url, connectionsMax: 1 });
  for (const [name, instant] of Object.entries(FUNCTIONS)) {
    await postgres.query(`create or replace function ${name} as $$
      select (extract(epoch from ${instant}) * 1000000)::bigint * 1000 + ${aheadMs}::bigint * 1000000
    $$`);
  }
}
