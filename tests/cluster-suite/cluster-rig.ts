/** A whole cluster for tests: real NATS servers, PostgreSQL and nodes. Disposal removes them. */

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../packages/server/testing/platform/free-ports.ts';
import {
  PostgresServer,
  type PostgresServerOptions,
} from '../../packages/server/testing/platform/postgres-server.ts';
import {
  NatsServers,
  type NatsServersOptions,
} from '../../packages/server/testing/tape/nats-servers.ts';
import { WAIT_LIMIT_MS } from '../running-service.ts';
import type { CommandResult } from '../tapeloom-command.ts';
import { COMMAND } from '../tapeloom-program.ts';
import { ClusterNode, HERE, type Place } from './cluster-node.ts';

/** A very small market: these tests are about agreement of nodes. */
const SMALL_MARKET = { TAPELOOM_SIM_SCALE: '0.05', TAPELOOM_SIM_DAYS: '1' };

export interface ClusterRigOptions {
  readonly nodes: Readonly<Record<string, 'ingest' | 'serve' | 'ingest,serve'>>;
  readonly nats?: NatsServersOptions;
  /** Replicas of the tape; 3 by default. */
  readonly replicas?: 1 | 3;
  readonly postgres?: PostgresServerOptions;
  /** The place of a node, by name; the loopback interface by default. */
  readonly placeOf?: (name: string) => Place;
  /** Further environment of all nodes. */
  readonly env?: Readonly<Record<string, string>>;
  /** Further environment of one node, by name. */
  readonly envOf?: (name: string) => Readonly<Record<string, string>>;
}

export class ClusterRig implements AsyncDisposable {
  readonly directory: string;
  readonly nats: NatsServers;
  readonly postgres: PostgresServer;
  readonly database: string;
  readonly nodes = new Map<string, ClusterNode>();
  readonly #options: ClusterRigOptions;

  private constructor(
    options: ClusterRigOptions,
    {
      directory,
      nats,
      postgres,
      database,
    }: Pick<ClusterRig, 'directory' | 'nats' | 'postgres' | 'database'>,
  ) {
    this.#options = options;
    this.directory = directory;
    this.nats = nats;
    this.postgres = postgres;
    this.database = database;
  }

  /** Starts the servers, initialises the cluster and adds the nodes, without starting them. */
  static async make(options: ClusterRigOptions): Promise<ClusterRig> {
    const directory = await mkdtemp(join(tmpdir(), 'tapeloom-cluster-'));
    await using started = new AsyncDisposableStack();
    started.defer(() => rm(directory, { recursive: true, force: true }));
    const postgres = started.use(await PostgresServer.start(options.postgres));
    const nats = started.use(await NatsServers.start({ count: 3, ...options.nats }));
    const database = await postgres.database();
    const rig = new ClusterRig(options, { directory, nats, postgres, database });
    const replicas = String(options.replicas ?? 3);
    const { code, stdout, stderr } = await rig.command('cluster', 'init', '--replicas', replicas);
    assert.equal(code, 0, `cluster init: ${stdout}${stderr}`);
    for (const [name, roles] of Object.entries(options.nodes)) await rig.addNode(name, roles);
    rig.#started = started.move();
    return rig;
  }

  #started = new AsyncDisposableStack();

  async [Symbol.asyncDispose](): Promise<void> {
    for (const node of this.nodes.values()) await node.kill();
    await this.#started[Symbol.asyncDispose]();
  }

  /** Adds a node with an empty directory, without starting it. */
  async addNode(name: string, roles: 'ingest' | 'serve' | 'ingest,serve'): Promise<ClusterNode> {
    const node = new ClusterNode({
      name,
      roles,
      data: join(this.directory, name),
      place: this.#options.placeOf?.(name) ?? HERE,
      port: await freePort(),
      internalPort: await freePort(),
      env: { ...this.#env, ...this.#options.envOf?.(name) },
    });
    this.nodes.set(name, node);
    return node;
  }

  node(name: string): ClusterNode {
    const node = this.nodes.get(name);
    assert(node !== undefined, `there is no node ${name}`);
    return node;
  }

  get serving(): readonly ClusterNode[] {
    return [...this.nodes.values()].filter(({ serves }) => serves);
  }

  get sequencers(): readonly ClusterNode[] {
    return [...this.nodes.values()].filter(({ setting }) => setting.roles.includes('ingest'));
  }

  async startNodes(): Promise<void> {
    await Promise.all([...this.nodes.values()].map((node) => node.start()));
  }

  /** Runs `tapeloom` as an operator of this cluster. */
  command(...words: readonly string[]): Promise<CommandResult> {
    return this.commandWith({}, ...words);
  }

  commandWith(
    more: Readonly<Record<string, string>>,
    ...words: readonly string[]
  ): Promise<CommandResult> {
    const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('TAPELOOM_'));
    const env = { ...Object.fromEntries(inherited), ...this.#env, ...more };
    const data = ['--data', join(this.directory, 'operator')];
    return new Promise((resolve) => {
      const args = [...COMMAND, ...words, ...(words[0] === 'cluster' ? [] : data)];
      execFile(process.execPath, args, { timeout: WAIT_LIMIT_MS, env }, (error, stdout, stderr) => {
        const code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1;
        resolve({ code, stdout, stderr });
      });
    });
  }

  get #env(): Readonly<Record<string, string>> {
    return {
      TAPELOOM_POSTGRES_URL: this.database,
      TAPELOOM_NATS_URL: this.nats.urls.join(),
      TAPELOOM_NATS_MONITOR: this.nats.monitors.join(),
      ...SMALL_MARKET,
      ...this.#options.env,
    };
  }
}
