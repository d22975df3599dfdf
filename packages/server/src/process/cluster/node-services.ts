/**
 * What a node shares with the others through PostgreSQL: its entry in the register, leases of accounts, request
 * allowances, the export secret, and the lock for housekeeping. It is opened before anything is served. A node that
 * computes an indicator differently opens no endpoint before all others know of it.
 */

import { randomBytes } from 'node:crypto';
import type { EpochNs } from '@tapeloom/core/numbers';
import { INDICATORS } from '@tapeloom/core/studies/catalogue';
import { computationOf } from '@tapeloom/core/studies/computation';
import { MINUTE_MS } from '@tapeloom/core/units';
import { askToDrain, type KnownNode, type NodeReport } from '../../accounts/shared/known-nodes.ts';
import { NodeIdentityError, nodeIdentity } from '../../accounts/shared/node-identity.ts';
import { NodeRegister, NodeTwiceError } from '../../accounts/shared/node-register.ts';
import { OneAtATime } from '../../accounts/shared/one-at-a-time.ts';
import { PostgresLeases } from '../../accounts/shared/postgres-leases.ts';
import { postgresSlices } from '../../accounts/shared/postgres-slices.ts';
import { SharedAllowances } from '../../accounts/shared/shared-allowances.ts';
import { type SharedSecret, sharedSecrets } from '../../accounts/shared/shared-secrets.ts';
import { prepareSharedTables } from '../../accounts/shared/shared-tables.ts';
import { sweepShared } from '../../accounts/shared/sweep-shared.ts';
import type { ClusterConfig } from '../../config/cluster-settings.ts';
import type { TokenSecrets } from '../../exports/export-token.ts';
import { readClusterId } from '../../operations/cluster/cluster-identity.ts';
import { EXPORT_SECRET } from '../../operations/cluster/export-secret-name.ts';
import { postgresFault } from '../../operations/cluster/postgres-fault.ts';
import { StartRefusedError } from '../../operations/start/start-refused-error.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Log } from '../../platform/log/log.ts';
import {
  openPostgres,
  type Postgres,
  PostgresError,
  PostgresUnreachableError,
} from '../../platform/postgres/postgres.ts';
import { agreedComputations, disputedIndicators } from '../../topics/agreed-computations.ts';
import type { Computations } from '../../topics/epoch-floors.ts';
import { reachedAtStart } from './reached-at-start.ts';

/** How often new secrets are looked for; often enough to know a new one well before it signs. */
const SECRETS_EVERY_MS = 10_000;
const SWEEP_EVERY_MS = MINUTE_MS;

const NO_CLUSTER =
  'the database of TAPELOOM_POSTGRES_URL belongs to no cluster yet: create one with `tapeloom cluster init`';

const OWN_COMPUTATIONS: Computations = Object.fromEntries(
  INDICATORS.map((indicator) => [indicator.id, computationOf(indicator)]),
);

export interface NodeServicesOptions {
  /** The data directory, already locked by this process. */
  readonly data: string;
  readonly cluster: ClusterConfig;
  readonly version: string;
  readonly clock: Clock;
  readonly log: Log;
}

export interface NodeNews {
  /** The node was asked to leave. */
  drain(): void;
  /** Another process has taken this node's identity: the process must end. */
  displaced(): void;
  /** The database may miss its newest changes: it restarted, was restored from a backup, or a standby took over. */
  older(): void;
  agreed(computations: Computations): void;
  looked(nodes: readonly KnownNode[]): void;
}

export class NodeServices implements AsyncDisposable {
  readonly clusterId: string;
  readonly postgres: Postgres;
  readonly register: NodeRegister;
  readonly leases: PostgresLeases;
  readonly allowances: SharedAllowances;
  readonly turns: OneAtATime;
  readonly #options: NodeServicesOptions;
  readonly #timers = new DisposableStack();
  #secrets: readonly SharedSecret[] = [];
  #agreed: Computations = OWN_COMPUTATIONS;
  #disputed: ReadonlySet<string> = new Set();
  #slicesTotal = 0;

  private constructor(
    options: NodeServicesOptions,
    clusterId: string,
    postgres: Postgres,
    register: NodeRegister,
  ) {
    this.#options = options;
    this.clusterId = clusterId;
    this.postgres = postgres;
    this.register = register;
    this.turns = new OneAtATime(postgres);
    this.leases = new PostgresLeases({
      postgres,
      node: register,
      cannotTakeBecause: () => register.cannotTakeBecause,
    });
    const slice = postgresSlices(postgres);
    this.allowances = new SharedAllowances({
      slice: (...asked) => {
        this.#slicesTotal += 1;
        return slice(...asked);
      },
    });
    this.#look(register.nodes);
  }

  /** Rejects with `StartRefusedError` if this process cannot be a node of the cluster. */
  static async open(options: NodeServicesOptions): Promise<NodeServices> {
    const { data, cluster, version, clock, log } = options;
    const opened = new AsyncDisposableStack();
    const isPassing = (error: unknown) => postgresFault(cluster.postgres, error).isPassing;
    try {
      const postgres = opened.use(
        openPostgres({ ...cluster.postgres, name: `tapeloom ${cluster.node}` }),
      );
      await reachedAtStart({ clock, log }, () => prepareSharedTables(postgres), isPassing);
      const clusterId = await readClusterId(postgres);
      if (clusterId === null) throw new StartRefusedError(NO_CLUSTER);
      const id = await nodeIdentity(data, randomBytes);
      const roles = (['ingest', 'serve'] as const).filter((role) => cluster.roles[role]);
      const computations = OWN_COMPUTATIONS;
      const node = { id, name: cluster.node, roles, program: version, computations };
      const run = randomBytes(16).toString('hex');
      const join = () => NodeRegister.join({ postgres, clock, log, node, run });
      const register = await reachedAtStart({ clock, log }, join);
      const services = new NodeServices(options, clusterId, postgres, register);
      await services.#readSecrets();
      if (services.#disputed.size > 0) await services.#waitForOthers();
      opened.move();
      return services;
    } catch (error) {
      await opened[Symbol.asyncDispose]();
      throw refusalOf(cluster.postgres, error);
    }
  }

  /** Starts to exchange heartbeats with the other nodes. */
  start(news: NodeNews): void {
    const { clock, log } = this.#options;
    const onFault = (error: unknown) =>
      log.debug({ error }, 'the storage shared by the nodes cannot be reached');
    this.register.start({
      over: (databaseNow) => this.leases.mayBeLost(databaseNow),
      older: () => {
        this.#readSecrets().catch(onFault);
        news.older();
      },
      drain: () => news.drain(),
      displaced: () => news.displaced(),
      looked: (nodes) => {
        if (this.#look(nodes)) news.agreed(this.#agreed);
        news.looked(nodes);
        this.leases.renew(clock.now()).catch(onFault);
      },
    });
    news.agreed(this.#agreed);
    this.#timers.use(clock.every(SECRETS_EVERY_MS, () => this.#readSecrets().catch(onFault)));
    const sweep = () => this.inTurn(() => sweepShared(this.postgres)).catch(onFault);
    this.#timers.use(clock.every(SWEEP_EVERY_MS, sweep));
  }

  /** Does work that one node at a time does, if this node holds the lock. */
  readonly inTurn = (work: () => Promise<unknown>): Promise<void> => this.turns.run(work);

  /** Whether live nodes compute an indicator in different ways. */
  isDisputed(indicator: string): boolean {
    return this.#disputed.has(indicator);
  }

  get disputedCount(): number {
    return this.#disputed.size;
  }

  get slicesTotal(): number {
    return this.#slicesTotal;
  }

  /** The report that the node publishes with every heartbeat. */
  set report(report: () => NodeReport) {
    this.register.report = report;
  }

  readonly tokenSecrets = (): TokenSecrets => {
    const { clock } = this.#options;
    const now = (clock.now() + this.register.offsetNs) as EpochNs;
    const signing =
      this.#secrets.find(({ signsFrom }) => signsFrom <= now) ?? this.#secrets.at(-1)!;
    return { signing: signing.secret, good: this.#secrets.map(({ secret }) => secret) };
  };

  /** Marks the node as leaving in the register. */
  async sayLeaving(): Promise<void> {
    await askToDrain(this.postgres, this.register.id).catch(() => undefined);
  }

  /** Releases its locks, leaves the register and disconnects. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#timers.dispose();
    await this.turns[Symbol.asyncDispose]();
    await this.register[Symbol.asyncDispose]();
    await this.postgres[Symbol.asyncDispose]();
  }

  /** Returns whether the agreed computations have changed. */
  #look(nodes: readonly KnownNode[]): boolean {
    const alive = nodes.filter(({ isAlive }) => isAlive).map(({ computations }) => computations);
    const agreed = agreedComputations([OWN_COMPUTATIONS, ...alive]);
    const isSame = JSON.stringify(agreed) === JSON.stringify(this.#agreed);
    this.#agreed = agreed;
    this.#disputed = new Set(disputedIndicators(OWN_COMPUTATIONS, agreed));
    return !isSame;
  }

  async #waitForOthers(): Promise<void> {
    const indicators = [...this.#disputed];
    this.#options.log.info({ indicators }, 'other nodes compute indicators differently');
    await this.register.seenByAll();
  }

  async #readSecrets(): Promise<void> {
    this.#secrets = await sharedSecrets(EXPORT_SECRET, {
      postgres: this.postgres,
      random: randomBytes,
    });
  }
}

function refusalOf(place: ClusterConfig['postgres'], error: unknown): unknown {
  if (error instanceof NodeIdentityError || error instanceof NodeTwiceError) {
    return new StartRefusedError(error.message, { cause: error });
  }
  const isFile = (error as NodeJS.ErrnoException).path === place.caFile && place.caFile !== null;
  const isOfPostgres = error instanceof PostgresUnreachableError || error instanceof PostgresError;
  if (!isOfPostgres && !isFile) return error;
  return new StartRefusedError(postgresFault(place, error).sentence, { cause: error });
}
