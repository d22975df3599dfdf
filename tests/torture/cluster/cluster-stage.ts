/**
 * A cluster for faults: nodes and NATS servers run on machines of their own where the kernel
 * supports it, so that each line can be cut alone. Customers, PostgreSQL and NATS have separate
 * networks. NATS servers use one network among themselves and another for nodes: cutting both at
 * once would hide a server that wrongly considers itself the leader.
 */

import { setTimeout as pause } from 'node:timers/promises';
import type { Random } from '../../../simulation/disk/sim-disk.ts';
import { leaderOf, leadersOf } from '../../cluster-suite/cluster-leaders.ts';
import { type ClusterNode, HERE, type Place } from '../../cluster-suite/cluster-node.ts';
import { ClusterRig } from '../../cluster-suite/cluster-rig.ts';
import { pick } from '../export-queries.ts';
import { setDatabaseClock } from './database-clock.ts';
import { emptyDisk, removeDisk, smallDisk } from './full-disk.ts';
import { type Line, Machine, Network } from './machines.ts';
import type { RunClocks } from './run-clocks.ts';
import { SlowLines, type Slowness } from './slow-lines.ts';

const SETTLED_WITHIN_MS = 60_000;
const LOOK_MS = 200;
/** Characters of a node's output to show. */
const LINES = 2_000;
/** Every stream has updates within seconds, and there is one day more than the queries read. */
const MARKET = { TAPELOOM_SIM_SCALE: '0.4', TAPELOOM_SIM_DAYS: '2' };
const NATS_COUNT = 3;
const NODES = {
  'serve-1': 'serve',
  'serve-2': 'serve',
  'serve-3': 'serve',
  'ingest-1': 'ingest',
  'ingest-2': 'ingest',
} as const;

type NetworkName = 'peers' | 'tape' | 'doors' | 'store';
/** Networks of a node. */
export type NodeLine = Exclude<NetworkName, 'peers'>;

export interface StageOptions {
  readonly random: Random;
  /** Whether the run has its own networks, so that lines can be cut. */
  readonly hasLines: boolean;
  readonly clocks: RunClocks;
}

export class ClusterStage implements AsyncDisposable {
  readonly rig: ClusterRig;
  readonly random: Random;
  readonly hasLines: boolean;
  readonly clocks: RunClocks;
  /** A key of an account that nothing else uses. */
  probeKey = '';
  readonly #lines: Lines | null;
  readonly #made: AsyncDisposableStack;
  #slow: SlowLines | null = null;

  private constructor(
    { random, hasLines, clocks }: StageOptions,
    rig: ClusterRig,
    lines: Lines | null,
    made: AsyncDisposableStack,
  ) {
    this.random = random;
    this.hasLines = hasLines;
    this.clocks = clocks;
    this.rig = rig;
    this.#lines = lines;
    this.#made = made;
  }

  /** Resolves when all nodes run and have settled. */
  static async open(options: StageOptions): Promise<ClusterStage> {
    await using made = new AsyncDisposableStack();
    const lines = options.hasLines ? made.use(await Lines.make(Object.keys(NODES))) : null;
    const rig = made.use(
      await ClusterRig.make({
        nodes: NODES,
        env: MARKET,
        envOf: (name) => options.clocks.envOf(name),
        ...(lines?.rigOptions ?? {}),
      }),
    );
    await setDatabaseClock(rig.database, options.clocks.aheadMs);
    if (options.hasLines) {
      for (const { setting } of rig.nodes.values()) {
        smallDisk(setting.data);
        made.defer(() => removeDisk(setting.data));
      }
      for (let server = 0; server < NATS_COUNT; server += 1) {
        made.defer(() => removeDisk(rig.nats.homeOf(server)));
      }
    }
    made.defer(async () => {
      for (const node of rig.nodes.values()) await node.kill();
    });
    await rig.startNodes();
    const stage = new ClusterStage(options, rig, lines, made.move());
    try {
      await stage.settled();
      return stage;
    } catch (error) {
      await stage[Symbol.asyncDispose]();
      throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#slow?.[Symbol.asyncDispose]();
    await this.#made[Symbol.asyncDispose]();
  }

  anyServing(): ClusterNode {
    return pick(this.random, this.rig.serving);
  }

  anyNats(): number {
    return Math.floor(this.random() * NATS_COUNT);
  }

  async standby(): Promise<ClusterNode> {
    const leader = await leaderOf(this.rig);
    return this.rig.sequencers.find((node) => node !== leader)!;
  }

  cutNats(server: number, network: 'peers' | 'tape'): void {
    this.#lines!.nats[server]!.cut(this.#lines!.networks[network]);
  }

  healNats(server: number, network: 'peers' | 'tape'): void {
    this.#lines!.nats[server]!.heal(this.#lines!.networks[network]);
  }

  cutNode(node: ClusterNode, network: NodeLine): void {
    this.#lines!.nodes.get(node.name)!.cut(this.#lines!.networks[network]);
  }

  healNode(node: ClusterNode, network: NodeLine): void {
    this.#lines!.nodes.get(node.name)!.heal(this.#lines!.networks[network]);
  }

  natsLines(servers: readonly number[], network: 'peers' | 'tape'): readonly Line[] {
    const { nats, networks } = this.#lines!;
    return servers.map((server) => nats[server]!.line(networks[network]));
  }

  nodeLines(nodes: readonly ClusterNode[], network: NodeLine): readonly Line[] {
    const { nodes: machines, networks } = this.#lines!;
    return nodes.map(({ name }) => machines.get(name)!.line(networks[network]));
  }

  /** Delays all frames on these lines until `makeFast`. */
  async makeSlow(lines: readonly Line[], slowness: Slowness): Promise<void> {
    this.#slow = await SlowLines.make(lines, slowness);
  }

  async makeFast(): Promise<void> {
    await this.#slow?.[Symbol.asyncDispose]();
    this.#slow = null;
  }

  /** Sets the clocks of all machines and of PostgreSQL forward. No node may run. */
  async advanceClocks(ms: number): Promise<void> {
    this.clocks.advance(ms);
    await setDatabaseClock(this.rig.database, this.clocks.aheadMs);
  }

  /** Undoes a fault that failed: lines, clocks and disks are normal, and every process runs. */
  async heal(): Promise<void> {
    await this.makeFast();
    this.#lines?.heal();
    this.clocks.heal();
    const { nats, postgres, nodes } = this.rig;
    for (let server = 0; server < nats.count; server += 1)
      if (nats.isRunning(server)) nats.letGo(server);
    await nats.startAll();
    if (postgres.isRunning) await postgres.resume();
    else await postgres.start();
    for (const node of nodes.values()) {
      emptyDisk(node.setting.data);
      if (node.isRunning) node.letGo();
      else node.launch();
    }
  }

  /** Waits until every node is ready, one appends and all have its messages; in milliseconds. */
  async settled(withinMs = SETTLED_WITHIN_MS): Promise<number> {
    const startMs = performance.now();
    // A busy node may respond too late; this does not end the run.
    const look = () => this.#unsettled().catch((error: Error) => error.message);
    let missing = await look();
    while (missing !== null) {
      if (performance.now() - startMs > withinMs) throw new Error(`not settled: ${missing}`);
      await pause(LOOK_MS);
      missing = await look();
    }
    return performance.now() - startMs;
  }

  async #unsettled(): Promise<string | null> {
    for (const node of this.rig.nodes.values()) {
      if (await node.isReady()) continue;
      const says = await node.internal('/health/ready').then((answer) => answer.text());
      const { output, errors } = node.service;
      return `${node.name} is not ready: ${says}\n${output.slice(-LINES)}${errors.slice(-LINES)}`;
    }
    const leading = await leadersOf(this.rig);
    if (leading.length !== 1) return `${leading.length} nodes append`;
    const end = await leading[0]!.metric('tapeloom_cluster_end_sequence');
    for (const node of this.rig.nodes.values()) {
      const deadline = performance.now() + LOOK_MS * 10;
      while ((await node.metric('tapeloom_cluster_sequence')) < end) {
        if (performance.now() > deadline) return `${node.name} does not reach message ${end}`;
        await pause(LOOK_MS / 4);
      }
    }
    return null;
  }
}

/** Networks, with a machine for each NATS server and each node. */
class Lines implements AsyncDisposable {
  readonly networks: Readonly<Record<NetworkName, Network>> = {
    peers: new Network('peers', 1),
    tape: new Network('tape', 2),
    doors: new Network('doors', 3),
    store: new Network('store', 4),
  };
  readonly nats: Machine[] = [];
  readonly nodes = new Map<string, Machine>();

  static async make(names: readonly string[]): Promise<Lines> {
    const lines = new Lines();
    const { peers, tape, doors, store } = lines.networks;
    let number = 1;
    for (let server = 0; server < NATS_COUNT; server += 1) {
      number += 1;
      lines.nats.push(await Machine.start(number, [peers, tape]));
    }
    for (const name of names) {
      number += 1;
      lines.nodes.set(name, await Machine.start(number, [tape, doors, store]));
    }
    return lines;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const machines = [...this.nats, ...this.nodes.values()];
    await Promise.all(machines.map((machine) => machine[Symbol.asyncDispose]()));
  }

  heal(): void {
    const { peers, tape, doors, store } = this.networks;
    for (const machine of this.nats) for (const network of [peers, tape]) machine.heal(network);
    for (const machine of this.nodes.values()) {
      for (const network of [tape, doors, store]) machine.heal(network);
    }
  }

  get rigOptions() {
    const { peers, tape, doors, store } = this.networks;
    return {
      // PostgreSQL runs in the namespace of the run itself.
      postgres: { host: store.ownAddress },
      nats: {
        prepare: smallDisk,
        hosts: this.nats.map((machine) => machine.address(tape)),
        routeHosts: this.nats.map((machine) => machine.address(peers)),
        inside: (index: number) => this.nats[index]!.command([]),
      },
      placeOf: (name: string): Place => {
        const machine = this.nodes.get(name);
        if (machine === undefined) return HERE;
        return { host: machine.address(doors), prefix: machine.command([]) };
      },
    };
  }
}
