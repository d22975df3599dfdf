/**
 * Moves the data of a single machine into a cluster, or that of a cluster into a directory for a single machine: the
 * accounts, the export secret and the tape, in this order, each verified after the move. Every step is repeatable, so
 * an interrupted move is simply started again. Nothing may run meanwhile, on the directory or in the cluster.
 */

import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { knownNodes } from '../../accounts/shared/known-nodes.ts';
import { adoptSharedSecret, sharedSecrets } from '../../accounts/shared/shared-secrets.ts';
import {
  AccountsThereError,
  accountsProof,
  areEqual,
  copyAccounts,
  type TableProof,
} from '../../accounts/store/copy-accounts.ts';
import { openPostgresDatabase } from '../../accounts/store/postgres/postgres-database.ts';
import type { SqlDatabase } from '../../accounts/store/sql-database.ts';
import { accountsPath } from '../../accounts/store/sqlite/accounts-path.ts';
import { openSqliteDatabase } from '../../accounts/store/sqlite/sqlite-database.ts';
import type { ClusterConfig } from '../../config/cluster-settings.ts';
import { lockDirectory } from '../../platform/disk/directory-lock.ts';
import { NodeDisk } from '../../platform/disk/node-disk.ts';
import { replacePrivateFile } from '../../platform/disk/private-file.ts';
import type { Postgres } from '../../platform/postgres/postgres.ts';
import { clusterOf } from '../../tape/shared/shared-directory.ts';
import { manifestPath } from '../../tape/tape-paths.ts';
import { ClusterRefusedError, openClusterPostgres } from './cluster-servers.ts';
import { EXPORT_SECRET } from './export-secret-name.ts';
import { moveTapeBack } from './move-tape-back.ts';
import { type MovedTape, moveTapeIn, type TapePlace } from './move-tape-in.ts';
import { openClusterTape } from './open-cluster-tape.ts';

const SECRET_FILE = 'export-secret';
const FLOORS_FILE = 'stream-epochs.json';

export interface MovePlace
  extends Pick<TapePlace, 'dataset' | 'listed' | 'commitRowsMax' | 'onProgress'> {
  readonly data: string;
  readonly cluster: ClusterConfig;
}

export interface MovedData {
  readonly clusterId: string;
  readonly accounts: readonly TableProof[];
  readonly tape: MovedTape;
}

export async function moveIn(place: MovePlace): Promise<MovedData> {
  const { data, cluster, dataset } = place;
  using _lock = lockDirectory(data);
  await using postgres = await openClusterPostgres(cluster);
  await using tape = await openClusterTape(cluster, dataset, postgres);
  await requireNobody(postgres);
  const disk = new NodeDisk();
  const tapeRoot = join(data, 'tape');
  const known = await clusterOf(disk, tapeRoot, dataset);
  if (known !== null) {
    const whose = known === tape.clusterId ? 'this cluster already' : `the cluster ${known}`;
    throw new ClusterRefusedError([`${data} belongs to ${whose}: there is nothing to move`]);
  }
  const accounts = existsSync(accountsPath(data)) ? await moveAccounts(place, 'in') : [];
  await moveSecretIn(data, postgres);
  const floors = await readFile(join(data, FLOORS_FILE), 'utf8').catch(() => null);
  return {
    clusterId: tape.clusterId,
    accounts,
    tape: await moveTapeIn({ ...place, disk, tapeRoot, floors }, tape),
  };
}

export async function moveBack(place: MovePlace): Promise<MovedData> {
  const { data, cluster, dataset } = place;
  using _lock = lockDirectory(data);
  await using postgres = await openClusterPostgres(cluster);
  await using tape = await openClusterTape(cluster, dataset, postgres);
  await requireNobody(postgres);
  const disk = new NodeDisk();
  const tapeRoot = join(data, 'tape');
  const known = await clusterOf(disk, tapeRoot, dataset);
  const isBegun = (await disk.stat(manifestPath(tapeRoot, dataset))) !== null;
  if (isBegun && known !== tape.clusterId) {
    throw new ClusterRefusedError([
      `${data} already has a tape of ${known ?? 'its own'}: choose a directory without one`,
    ]);
  }
  const accounts = await moveAccounts(place, 'back');
  const [newest] = await sharedSecrets(EXPORT_SECRET, { postgres, random: noSecret });
  await replacePrivateFile(data, SECRET_FILE, newest!.secret);
  const { floors, ...moved } = await moveTapeBack({ ...place, disk, tapeRoot }, tape);
  if (floors !== null) await replacePrivateFile(data, FLOORS_FILE, floors);
  return { clusterId: tape.clusterId, accounts, tape: moved };
}

/** A cluster in which no node ever ran has no secret. */
function noSecret(): never {
  throw new ClusterRefusedError([
    'no node of this cluster has ever run, so there is nothing to move',
  ]);
}

/** Rejects if a node of the cluster runs. */
export async function requireNobody(postgres: Postgres): Promise<void> {
  const alive = (await knownNodes(postgres)).filter(({ isAlive }) => isAlive);
  if (alive.length === 0) return;
  const names = alive.map(({ name }) => name).join(', ');
  throw new ClusterRefusedError([
    `nodes of the cluster run: ${names}. Drain them first (tapeloom cluster drain); a killed node counts for up to 90 s`,
  ]);
}

async function moveAccounts(
  { data, cluster: { postgres } }: MovePlace,
  direction: 'in' | 'back',
): Promise<readonly TableProof[]> {
  await using alone = openSqliteDatabase(accountsPath(data));
  await using shared = openPostgresDatabase(postgres);
  for (const database of [alone, shared]) await database.migrate();
  return direction === 'in' ? await moveAll(alone, shared) : await moveAll(shared, alone);
}

/** Accounts that were moved before are not moved again. */
async function moveAll(from: SqlDatabase, to: SqlDatabase): Promise<readonly TableProof[]> {
  const proof = await accountsProof(from);
  if (areEqual(proof, await accountsProof(to))) return proof;
  try {
    await copyAccounts(from, to);
  } catch (error) {
    if (!(error instanceof AccountsThereError)) throw error;
    const why = `the target already has accounts: ${error.message}. Nothing was changed`;
    throw new ClusterRefusedError([why], error);
  }
  if (areEqual(proof, await accountsProof(to))) return proof;
  throw new Error('the accounts differ after they were copied');
}

async function moveSecretIn(data: string, postgres: Postgres): Promise<void> {
  const secret = await readFile(join(data, SECRET_FILE)).catch(() => null);
  if (secret === null) return;
  const there = await postgres.query<{ readonly secret: Uint8Array }>(
    'select secret from shared_secrets where name = $1',
    [EXPORT_SECRET],
  );
  if (there.some((row) => Buffer.compare(row.secret, secret) === 0)) return;
  await adoptSharedSecret(EXPORT_SECRET, secret, { postgres });
}
