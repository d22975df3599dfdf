/**
 * Secrets that all nodes of a cluster share, by name. The two newest of a name are valid, so one can change while data
 * made with the other is in use. A new secret signs only a minute after its creation, when every node knows it.
 */

import type { EpochNs } from '@tapeloom/core/numbers';
import { MINUTE_NS_BIG } from '@tapeloom/core/units';
import type { Postgres } from '../../platform/postgres/postgres.ts';

const SECRET_BYTES = 32;
const GOOD_AT_ONCE = 2;
const SIGNS_AFTER_NS = MINUTE_NS_BIG;
/** One node at a time creates or changes secrets; our number among the advisory locks. */
const LOCK = 7_402_005;

export interface SharedSecret {
  readonly secret: Uint8Array;
  /** By the database's clock. */
  readonly signsFrom: EpochNs;
}

export interface SharedSecretsOptions {
  readonly postgres: Pick<Postgres, 'transaction'>;
  readonly random: (size: number) => Uint8Array;
}

/** The newest first. The first caller creates one, which signs at once. */
export async function sharedSecrets(
  name: string,
  { postgres, random }: SharedSecretsOptions,
): Promise<readonly SharedSecret[]> {
  return await postgres.transaction(async (connection) => {
    const found = await read(connection, name);
    if (found.length > 0) return found;
    await connection.query('select pg_advisory_xact_lock($1)', [LOCK]);
    await connection.query(
      `insert into shared_secrets select $1, 1, $2, 0
        where not exists (select from shared_secrets where name = $1)`,
      [name, random(SECRET_BYTES)],
    );
    return await read(connection, name);
  });
}

/** The last secret is so new that it does not sign yet: another one now would invalidate the one that signs. */
export class SecretIsNewError extends Error {}

/** Creates a new secret. The previous one stays valid until the next change; older ones become invalid. */
export async function changeSharedSecret(
  name: string,
  { postgres, random }: SharedSecretsOptions,
): Promise<void> {
  await postgres.transaction(async (connection) => {
    await connection.query('select pg_advisory_xact_lock($1)', [LOCK]);
    const { rows } = await connection.query<{ seconds: number }>(
      `select ceil((max(signs_from) - tapeloom_now()) / 1e9)::int as seconds from shared_secrets
        where name = $1 having max(signs_from) > tapeloom_now()`,
      [name],
    );
    if (rows[0] !== undefined) {
      const { seconds } = rows[0];
      throw new SecretIsNewError(`it was changed a moment ago: try again in ${seconds} s`);
    }
    await connection.query(
      `insert into shared_secrets
        select $1, coalesce(max(number), 0) + 1, $2,
          case when max(number) is null then 0 else tapeloom_now() + $3::bigint end
        from shared_secrets where name = $1`,
      [name, random(SECRET_BYTES), SIGNS_AFTER_NS],
    );
    await connection.query(
      `delete from shared_secrets where name = $1
        and number <= (select max(number) from shared_secrets where name = $1) - $2::bigint`,
      [name, GOOD_AT_ONCE],
    );
  });
}

/** Creates a new secret that is the only valid one at once: for a secret that leaked. */
export async function replaceSharedSecret(
  name: string,
  { postgres, random }: SharedSecretsOptions,
): Promise<void> {
  await postgres.transaction(async (connection) => {
    await connection.query('select pg_advisory_xact_lock($1)', [LOCK]);
    const { rows } = await connection.query<{ last: bigint | null }>(
      'select max(number) as last from shared_secrets where name = $1',
      [name],
    );
    await connection.query('delete from shared_secrets where name = $1', [name]);
    const number = (rows[0]!.last ?? 0n) + 1n;
    await connection.query('insert into shared_secrets values ($1, $2, $3, 0)', [
      ...[name, number, random(SECRET_BYTES)],
    ]);
  });
}

/** Adopts a secret that was in use elsewhere, as when a data directory moves into a cluster. */
export async function adoptSharedSecret(
  name: string,
  secret: Uint8Array,
  { postgres }: Pick<SharedSecretsOptions, 'postgres'>,
): Promise<void> {
  await changeSharedSecret(name, { postgres, random: () => secret });
}

type Connection = Parameters<Parameters<Postgres['transaction']>[0]>[0];

async function read(connection: Connection, name: string): Promise<readonly SharedSecret[]> {
  const { rows } = await connection.query<{ secret: Uint8Array; signs_from: bigint }>(
    'select secret, signs_from from shared_secrets where name = $1 order by number desc limit $2',
    [name, GOOD_AT_ONCE],
  );
  return rows.map((row) => ({ secret: row.secret, signsFrom: row.signs_from as EpochNs }));
}
