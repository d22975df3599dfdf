/**
 * The datasets whose tapes a cluster has, in PostgreSQL. A dataset that is missing here was added to the configuration
 * and gets a tape; one that is here but not in NATS has lost it.
 */

import type { Postgres } from '../../platform/postgres/postgres.ts';

/** Version 1.0 did not record it: the only live dataset of such a cluster had one of these names. */
export const EARLIER_DATASETS: readonly string[] = ['SIM', 'TIME'];

export async function recordedTapes(
  postgres: Pick<Postgres, 'query'>,
): Promise<ReadonlySet<string>> {
  const rows = await postgres.query<{ readonly dataset: string }>(
    'select dataset from cluster_tapes',
  );
  return new Set(rows.map(({ dataset }) => dataset));
}

/** Its stream and its bucket exist. */
export async function recordTape(
  postgres: Pick<Postgres, 'query'>,
  dataset: string,
): Promise<void> {
  await postgres.query(
    'insert into cluster_tapes values ($1, tapeloom_now()) on conflict do nothing',
    [dataset],
  );
}

/** It is lost, and an operator has accepted that. */
export async function forgetTape(
  postgres: Pick<Postgres, 'query'>,
  dataset: string,
): Promise<void> {
  await postgres.query('delete from cluster_tapes where dataset = $1', [dataset]);
}
