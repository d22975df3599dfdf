/**
 * Moves the data of a single machine into a cluster, or that of a cluster into a directory for a single machine: the
 * accounts, the export secret and the tapes, in this order, each verified after the move. Every step is repeatable, so
 * an interrupted move is simply started again. Nothing may run meanwhile, on the directory or in the cluster.
 */

import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { INDICATORS } from '@tapeloom/core/studies/catalogue';
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
import type { ListedSymbols } from '../../tape/write/sequencer/listed-on.ts';
import { agreedComputations } from '../../topics/agreed-computations.ts';
import {
  type ContractDays,
  formatEpochs,
  parseEpochs,
  type StreamEpochs,
} from '../../topics/epoch-floors.ts';
import { ClusterRefusedError, openClusterPostgres } from './cluster-servers.ts';
import { EXPORT_SECRET } from './export-secret-name.ts';
import { moveTapeBack } from './move-tape-back.ts';
import { type MovedTape, moveTapeIn, type TapePlace } from './move-tape-in.ts';
import { type ClusterTape, openClusterTape } from './open-cluster-tape.ts';

const SECRET_FILE = 'export-secret';
const FLOORS_FILE = 'stream-epochs.json';

export interface MovePlace extends Pick<TapePlace, 'commitRowsMax' | 'onProgress'> {
  readonly data: string;
  readonly cluster: ClusterConfig;
  /** At least one. */
  readonly datasets: readonly string[];
  /** The contracts of a dataset. */
  readonly listed: (dataset: string) => ListedSymbols;
}

export interface MovedDataset {
  readonly dataset: string;
  readonly tape: MovedTape;
}

export interface MovedData {
  readonly clusterId: string;
  readonly accounts: readonly TableProof[];
  /** That of the first dataset that was moved. */
  readonly tape: MovedTape;
  /** Those that were moved now. */
  readonly datasets: readonly MovedDataset[];
}

export async function moveIn(place: MovePlace): Promise<MovedData> {
  const { data, datasets } = place;
  using _lock = lockDirectory(data);
  await using opened = await openTapes(place);
  const { postgres, clusterId } = opened;
  const disk = new NodeDisk();
  const tapeRoot = join(data, 'tape');
  const left: string[] = [];
  for (const dataset of datasets) {
    const known = await clusterOf(disk, tapeRoot, dataset);
    if (known === null) left.push(dataset);
    else if (known !== clusterId) throw nothingToMove(data, `the cluster ${known}`);
  }
  if (left.length === 0) throw nothingToMove(data, 'this cluster already');
  const accounts = existsSync(accountsPath(data)) ? await moveAccounts(place, 'in') : [];
  await moveSecretIn(data, postgres);
  const floors = await readFile(join(data, FLOORS_FILE), 'utf8').catch(() => null);
  const moved: MovedDataset[] = [];
  for (const dataset of left) {
    const listed = place.listed(dataset);
    const one = { ...place, dataset, listed, disk, tapeRoot, floors };
    moved.push({ dataset, tape: await moveTapeIn(one, opened.of(dataset)) });
  }
  return { clusterId, accounts, tape: moved[0]!.tape, datasets: moved };
}

export async function moveBack(place: MovePlace): Promise<MovedData> {
  const { data, datasets } = place;
  using _lock = lockDirectory(data);
  await using opened = await openTapes(place);
  const { postgres, clusterId } = opened;
  const disk = new NodeDisk();
  const tapeRoot = join(data, 'tape');
  for (const dataset of datasets) {
    const known = await clusterOf(disk, tapeRoot, dataset);
    const isBegun = (await disk.stat(manifestPath(tapeRoot, dataset))) !== null;
    if (!isBegun || known === clusterId) continue;
    throw new ClusterRefusedError([
      `${data} already has a tape of ${known ?? 'its own'}: choose a directory without one`,
    ]);
  }
  const accounts = await moveAccounts(place, 'back');
  const [newest] = await sharedSecrets(EXPORT_SECRET, { postgres, random: noSecret });
  await replacePrivateFile(data, SECRET_FILE, newest!.secret);
  const moved: MovedDataset[] = [];
  const floors: string[] = [];
  for (const dataset of datasets) {
    const one = { ...place, dataset, listed: place.listed(dataset), disk, tapeRoot };
    const { floors: its, ...tape } = await moveTapeBack(one, opened.of(dataset));
    if (its !== null) floors.push(its);
    moved.push({ dataset, tape });
  }
  if (floors.length > 0) await replacePrivateFile(data, FLOORS_FILE, joinedFloors(floors));
  return { clusterId, accounts, tape: moved[0]!.tape, datasets: moved };
}

/** What nodes share, while none of them runs. */
async function openTapes({ cluster, datasets }: MovePlace) {
  await using opening = new AsyncDisposableStack();
  const postgres = opening.use(await openClusterPostgres(cluster));
  const tapes = new Map<string, ClusterTape>();
  for (const dataset of datasets) {
    tapes.set(dataset, opening.use(await openClusterTape(cluster, dataset, postgres)));
  }
  await requireNobody(postgres);
  const opened = opening.move();
  const [{ clusterId }] = [...tapes.values()] as [ClusterTape];
  return {
    postgres,
    clusterId,
    of: (dataset: string) => tapes.get(dataset)!,
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

function nothingToMove(data: string, whose: string): ClusterRefusedError {
  return new ClusterRefusedError([`${data} belongs to ${whose}: there is nothing to move`]);
}

/** The floors of several books in one record. Where they name different computations, all older cursors end. */
function joinedFloors(texts: readonly string[]): string {
  const ids = INDICATORS.map(({ id }) => id);
  const books = texts.flatMap((text) => parseEpochs(text, ids) ?? []);
  const [only] = texts;
  if (books.length < 2) return only!;
  const floors = books.flatMap((book) => book.floors);
  // Each contract is in one dataset.
  const merged = Object.assign({}, ...books) as StreamEpochs;
  const all = (part: 'coming' | 'settling') => ({
    [part]: Object.assign({}, ...books.map((it) => it[part])) as ContractDays,
  });
  return formatEpochs({
    ...merged,
    ...(merged.coming && all('coming')),
    ...(merged.settling && all('settling')),
    computations: agreedComputations(books.map(({ computations }) => computations)),
    // A move into a cluster gave all of them to each book.
    floors: [...new Map(floors.map((floor) => [JSON.stringify(floor), floor])).values()],
  });
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
