/**
 * Real NATS servers for tests: one, or a cluster of three, in a temporary directory on the loopback. Each can be
 * killed, paused, continued and restarted in place; its store can be restored from an older copy. Disposing removes
 * everything.
 *
 *     await using servers = await NatsServers.start({ count: 3 });
 */

import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { freePorts } from '../platform/free-ports.ts';
import { natsServer } from './find-nats-server.ts';

const READY_WITHIN_MS = 180_000;
/**
 * If two new peers respond to a 2.10.27 leader within a millisecond, it may add one twice and the other never, which
 * then stays a healthy follower without any placement. Servers find each other within seconds or never; the last try
 * gets the time that a slow machine needs.
 */
const NEW_READY_WITHIN_MS = 15_000;
/**
 * A server that was restarted may be missing to its peers, or fail its health check, for minutes. Another restart
 * helps.
 */
const STUCK_AFTER_MS = 60_000;
const NEW_TRIES_MAX = 3;
const LOOK_EVERY_MS = 20;
const MIB = 1_048_576;

export interface NatsServersOptions {
  /** One, or three that replicate. */
  readonly count?: 1 | 3;
  /** Whether every acknowledgement follows a sync, as required in operation. */
  readonly isSynced?: boolean;
  readonly payloadBytesMax?: number;
  /** Additional configuration per server: accounts, TLS. */
  readonly more?: (index: number, directory: string) => string;
  /** Additional settings of the cluster block. */
  readonly moreInCluster?: string;
  readonly scheme?: 'nats' | 'tls';
  /** The address of each server; default: the loopback. */
  readonly hosts?: readonly string[];
  /** The address for other servers, if different. */
  readonly routeHosts?: readonly string[];
  /** Called with each server's empty directory. */
  readonly prepare?: (directory: string) => void;
  /** A command prefix per server, such as `ip netns exec name`. */
  readonly inside?: (index: number) => readonly string[];
}

interface Ports {
  readonly client: number;
  readonly monitor: number;
  readonly route: number;
}

/** A server's view of the JetStream cluster. */
interface JetStreamState {
  readonly meta_cluster?: {
    readonly leader?: string;
    readonly replicas?: readonly { readonly current: boolean; readonly offline?: boolean }[];
  };
}

interface Health {
  readonly errors?: readonly { readonly type: string }[];
}

export class NatsServers implements AsyncDisposable {
  readonly directory: string;
  readonly #program: string;
  readonly #options: NatsServersOptions;
  readonly #ports: readonly Ports[];
  readonly #processes: (ChildProcess | null)[];
  /** The last unhealthy server's report. */
  #notReady = 'it does not answer';
  readonly #killAtExit = () => {
    for (const child of this.#processes) child?.kill('SIGKILL');
  };

  private constructor(directory: string, options: NatsServersOptions, ports: readonly Ports[]) {
    this.directory = directory;
    this.#program = natsServer().path;
    this.#options = options;
    this.#ports = ports;
    this.#processes = ports.map(() => null);
    process.on('exit', this.#killAtExit);
  }

  static async start(options: NatsServersOptions = {}): Promise<NatsServers> {
    for (let tries = 1; ; tries += 1) {
      const servers = await NatsServers.#make(options);
      try {
        await servers.startAll(tries < NEW_TRIES_MAX ? NEW_READY_WITHIN_MS : READY_WITHIN_MS);
        return servers;
      } catch (error) {
        // A failure to remove its directory does not matter now.
        await servers[Symbol.asyncDispose]().catch(() => undefined);
        if (tries === NEW_TRIES_MAX) throw error;
      }
    }
  }

  static async #make(options: NatsServersOptions): Promise<NatsServers> {
    const directory = await mkdtemp(join(tmpdir(), 'tapeloom-nats-'));
    const free = await freePorts(3 * (options.count ?? 1));
    const ports = Array.from({ length: options.count ?? 1 }, (_, index) => {
      const [client, monitor, route] = free.slice(3 * index);
      return { client: client!, monitor: monitor!, route: route! };
    });
    const servers = new NatsServers(directory, options, ports);
    for (const index of ports.keys()) options.prepare?.(servers.homeOf(index));
    return servers;
  }

  get count(): number {
    return this.#ports.length;
  }

  get urls(): readonly string[] {
    const { scheme = 'nats' } = this.#options;
    return this.#ports.map(({ client }, index) => `${scheme}://${this.#host(index)}:${client}`);
  }

  get monitors(): readonly string[] {
    return this.#ports.map(({ monitor }, index) => `http://${this.#host(index)}:${monitor}`);
  }

  isRunning(index: number): boolean {
    return this.#processes[index] !== null;
  }

  pidOf(index: number): number {
    const pid = this.#processes[index]?.pid;
    assert(pid !== undefined, `server ${index} does not run`);
    return pid;
  }

  async log(index: number): Promise<string> {
    return await readFile(join(this.homeOf(index), 'log'), 'utf8').catch(() => '');
  }

  /** Starts the stopped servers, and waits until all are healthy. */
  async startAll(withinMs = READY_WITHIN_MS): Promise<void> {
    const begun = this.#ports.keys().filter((index) => this.#processes[index] === null);
    const launched = [...begun];
    for (const index of launched) await this.launch(index);
    try {
      await this.#untilAllSound(Math.min(withinMs, STUCK_AFTER_MS));
    } catch (error) {
      if (withinMs <= STUCK_AFTER_MS) throw error;
      // As an operator would.
      for (const index of launched) {
        await this.kill(index);
        await this.launch(index);
      }
      await this.#untilAllSound(withinMs - STUCK_AFTER_MS);
    }
  }

  async #untilAllSound(withinMs: number): Promise<void> {
    const until = performance.now() + withinMs;
    for (let index = 0; index < this.count; index++) await this.untilSound(index, withinMs);
    while (!(await this.#knowEachOther())) {
      assert(
        performance.now() < until,
        `the servers do not find each other (${await this.#toldOfPeers()})`,
      );
      await wait(LOOK_EVERY_MS);
    }
  }

  /** Replaces all machines, with all data lost. */
  async loseAll(): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      for (let index = 0; index < this.count; index++) {
        await this.kill(index);
        await rm(this.storeOf(index), { recursive: true, force: true });
      }
      try {
        await this.startAll(tries < NEW_TRIES_MAX ? NEW_READY_WITHIN_MS : READY_WITHIN_MS);
        return;
      } catch (error) {
        if (tries === NEW_TRIES_MAX) throw error;
      }
    }
  }

  async launch(index: number): Promise<void> {
    assert.equal(this.#processes[index], null, `server ${index} runs already`);
    const home = this.homeOf(index);
    await mkdir(home, { recursive: true });
    await writeFile(join(home, 'conf'), this.#configuration(index));
    const log = openSync(join(home, 'log'), 'a');
    const command = [...(this.#options.inside?.(index) ?? []), this.#program];
    const child = spawn(command[0]!, [...command.slice(1), '-c', join(home, 'conf')], {
      stdio: ['ignore', log, log],
    });
    this.#processes[index] = child;
  }

  /** Waits until a server has joined its cluster and caught up. */
  async untilSound(index: number, withinMs = READY_WITHIN_MS): Promise<void> {
    const until = performance.now() + withinMs;
    while (!(await this.#isSound(index))) {
      const child = this.#processes[index];
      if (child === null || child?.exitCode !== null || performance.now() > until) {
        const log = (await this.log(index)).replaceAll(/^.*Healthcheck failed.*\n/gm, '');
        throw new Error(`nats-server ${index} does not start (${this.#notReady}): ${log}`);
      }
      await wait(LOOK_EVERY_MS);
    }
  }

  /** Kills a server, as a loss of its machine would. */
  async kill(index: number): Promise<void> {
    await this.#end(index, 'SIGKILL');
  }

  /** Stops a server as an operator does. */
  async stop(index: number): Promise<void> {
    await this.#end(index, 'SIGTERM');
  }

  /** Pauses a server until `letGo`; its connections stay. */
  pause(index: number): void {
    process.kill(this.pidOf(index), 'SIGSTOP');
  }

  letGo(index: number): void {
    process.kill(this.pidOf(index), 'SIGCONT');
  }

  async copyStore(index: number, name: string): Promise<void> {
    const to = join(this.homeOf(index), name);
    await rm(to, { recursive: true, force: true });
    await cp(this.storeOf(index), to, { recursive: true });
  }

  /** Restores such a copy, as on a restored machine. */
  async restoreStore(index: number, name: string): Promise<void> {
    await rm(this.storeOf(index), { recursive: true, force: true });
    await cp(join(this.homeOf(index), name), this.storeOf(index), { recursive: true });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    process.off('exit', this.#killAtExit);
    for (let index = 0; index < this.count; index++) await this.kill(index);
    await rm(this.directory, { recursive: true, force: true });
  }

  storeOf(index: number): string {
    return join(this.homeOf(index), 'store');
  }

  #host(index: number): string {
    return this.#options.hosts?.[index] ?? '127.0.0.1';
  }

  homeOf(index: number): string {
    return join(this.directory, `server-${index}`);
  }

  #configuration(index: number): string {
    const { isSynced = true, payloadBytesMax = 8 * MIB, more } = this.#options;
    const { client, monitor, route } = this.#ports[index]!;
    const host = this.#host(index);
    const lines = [
      `server_name: server-${index}`,
      `listen: "${host}:${client}"`,
      `http: "${host}:${monitor}"`,
      `max_payload: ${payloadBytesMax}`,
      'jetstream {',
      `  store_dir: "${this.storeOf(index)}"`,
      // Only a bound, and a server never promises more than it finds: tests run in memory.
      '  max_file_store: 64GiB',
      isSynced ? '  sync_interval: always' : '',
      '}',
    ];
    if (this.count > 1) {
      const routeHost = (at: number) => this.#options.routeHosts?.[at] ?? this.#host(at);
      const routes = this.#ports.map((ports, at) => `"nats://${routeHost(at)}:${ports.route}"`);
      lines.push(
        `cluster { name: tests, listen: "${routeHost(index)}:${route}", routes: [${routes.join(', ')}] ${this.#options.moreInCluster ?? ''} }`,
      );
    }
    return `${lines.join('\n')}\n${more?.(index, this.homeOf(index)) ?? ''}\n`;
  }

  async #isSound(index: number): Promise<boolean> {
    try {
      if (!(await this.#isHealthy(index))) return false;
      return this.count === 1 || (await this.#hasAllPeers(index));
    } catch {
      return false;
    }
  }

  /** 2.10.27 may report missing consumers that no longer exist, so only its other faults count. */
  async #isHealthy(index: number): Promise<boolean> {
    const answer = await fetch(`${this.monitors[index]!}/healthz?details=true`);
    if (answer.ok) return true;
    const { errors = [] } = (await answer.json()) as Health;
    this.#notReady = JSON.stringify(errors);
    return errors.length > 0 && errors.every(({ type }) => type === 'CONSUMER');
  }

  /** Whether one leads and considers all others present: before that, nothing can be placed on all of them. */
  async #knowEachOther(): Promise<boolean> {
    if (this.count === 1) return true;
    for (const [index, monitor] of this.monitors.entries()) {
      const answer = await fetch(`${monitor}/jsz`).catch(() => null);
      const told = (await answer?.json().catch(() => null)) as JetStreamState | null;
      const { leader, replicas = [] } = told?.meta_cluster ?? {};
      if (leader !== `server-${index}`) continue;
      const present = replicas.filter(({ current, offline }) => current && offline !== true);
      return present.length === this.count - 1;
    }
    return false;
  }

  async #toldOfPeers(): Promise<string> {
    const told = this.monitors.map(async (monitor) => {
      const answer = await fetch(`${monitor}/jsz`).catch(() => null);
      const state = (await answer?.json().catch(() => null)) as JetStreamState | null;
      return JSON.stringify(state?.meta_cluster ?? null);
    });
    return (await Promise.all(told)).join(', ');
  }

  /** The leader must know every running server; only the leader reports peers. */
  async #hasAllPeers(index: number): Promise<boolean> {
    const answer = await fetch(`${this.monitors[index]!}/jsz`);
    const { meta_cluster: meta } = (await answer.json()) as JetStreamState;
    if (meta?.leader === undefined) return false;
    if (meta.leader !== `server-${index}`) return true;
    const replicas = meta.replicas ?? [];
    const running = this.#processes.filter((child) => child !== null).length;
    return replicas.filter(({ offline }) => offline !== true).length >= running - 1;
  }

  async #end(index: number, signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const child = this.#processes[index] ?? null;
    this.#processes[index] = null;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    child.kill(signal);
    child.kill('SIGCONT');
    await once(child, 'exit');
  }
}
