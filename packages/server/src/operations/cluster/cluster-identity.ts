/**
 * The identity of a cluster: a random name in PostgreSQL and on the streams of NATS, so that no node combines the tape
 * of one cluster with the accounts of another. It is chosen before the streams are made and confirmed afterwards. A
 * confirmed identity without streams therefore means a lost tape.
 */

import type { Postgres } from '../../platform/postgres/postgres.ts';

const ID_BYTES = 12;

export function newClusterId(random: (size: number) => Uint8Array): string {
  return `cluster_${Buffer.from(random(ID_BYTES)).toString('hex')}`;
}

/** Null: `tapeloom cluster init` has not run, or has not finished. */
export async function readClusterId(postgres: Pick<Postgres, 'query'>): Promise<string | null> {
  const [row] = await postgres.query<{ readonly id: string }>(
    'select id from cluster where made_at > 0',
  );
  return row?.id ?? null;
}

/** The one that was chosen first, by any process. */
export async function chooseClusterId(
  postgres: Pick<Postgres, 'query'>,
  id: string,
): Promise<{ readonly id: string; readonly isConfirmed: boolean }> {
  await postgres.query('insert into cluster (id, made_at) values ($1, 0) on conflict do nothing', [
    id,
  ]);
  const [row] = await postgres.query<{ readonly id: string; readonly made_at: bigint }>(
    'select id, made_at from cluster',
  );
  return { id: row!.id, isConfirmed: row!.made_at > 0n };
}

/** Its streams exist. */
export async function confirmClusterId(postgres: Pick<Postgres, 'query'>): Promise<void> {
  await postgres.query('update cluster set made_at = tapeloom_now() where made_at = 0');
}
