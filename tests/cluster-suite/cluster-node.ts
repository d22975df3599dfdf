/** A node of a test's cluster: a real service that keeps its name, data and ports over restarts. */

import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { RunningService, TestSubscriber, WAIT_LIMIT_MS } from '../running-service.ts';

/** The timeout of an internal request, since the node may be suspended. */
const LOOKED_AT_MS_MAX = 10_000;
const LOOK_MS = 50;

/** The machine of a process: its address, and a prefix for its command. */
export interface Place {
  readonly host: string;
  readonly prefix: readonly string[];
}

export const HERE: Place = { host: '127.0.0.1', prefix: [] };

export interface ClusterNodeSetting {
  readonly name: string;
  readonly roles: 'ingest' | 'serve' | 'ingest,serve';
  readonly data: string;
  readonly place: Place;
  readonly port: number;
  readonly internalPort: number;
  /** The environment of all nodes of the cluster. */
  readonly env: Readonly<Record<string, string>>;
  /** The arguments for Node; by default those of the built service. */
  readonly program?: readonly string[];
}

export class ClusterNode {
  readonly setting: ClusterNodeSetting;
  #service: RunningService | null = null;

  constructor(setting: ClusterNodeSetting) {
    this.setting = setting;
  }

  get name(): string {
    return this.setting.name;
  }

  get host(): string {
    return this.setting.place.host;
  }

  get port(): number {
    return this.setting.port;
  }

  get serves(): boolean {
    return this.setting.roles.includes('serve');
  }

  get isRunning(): boolean {
    return this.#service !== null;
  }

  get service(): RunningService {
    assert(this.#service !== null, `${this.name} does not run`);
    return this.#service;
  }

  /** Starts the node without waiting for it. */
  launch(): RunningService {
    assert.equal(this.#service, null, `${this.name} runs already`);
    const { name, roles, data, place, port, internalPort, env, program } = this.setting;
    this.#service = new RunningService({
      data,
      ...(program === undefined ? {} : { program }),
      prefix: place.prefix,
      env: {
        TAPELOOM_NODE: name,
        TAPELOOM_ROLES: roles,
        TAPELOOM_HOST: place.host,
        TAPELOOM_PORT: String(port),
        TAPELOOM_INTERNAL_HOST: place.host,
        TAPELOOM_INTERNAL_PORT: String(internalPort),
        ...env,
      },
    });
    return this.#service;
  }

  async start(): Promise<void> {
    this.launch();
    await this.ready();
  }

  /** Resolves when the node is ready; rejects with its output when it ends or takes too long. */
  async ready(withinMs = WAIT_LIMIT_MS): Promise<void> {
    const { service } = this;
    let code: number | null | undefined;
    void service.ended.then((it) => {
      code = it;
    });
    const deadline = performance.now() + withinMs;
    while (!(await this.isReady())) {
      if (code === undefined && performance.now() < deadline) await pause(LOOK_MS);
      else {
        const what =
          code === undefined ? `is not ready after ${withinMs} ms` : `ended with ${code}`;
        throw new Error(`${this.name} ${what}:\n${service.output}${service.errors}`);
      }
    }
  }

  async isReady(): Promise<boolean> {
    return (await this.internal('/health/ready').catch(() => null))?.status === 200;
  }

  async internal(path: string): Promise<Response> {
    const { place, internalPort } = this.setting;
    return await fetch(`http://${place.host}:${internalPort}${path}`, {
      signal: AbortSignal.timeout(LOOKED_AT_MS_MAX),
    });
  }

  /** The node's state on the shared tape, by its metrics; null without a response. */
  async tapeState(): Promise<string | null> {
    const text = await this.internal('/metrics').then(
      (answer) => answer.text(),
      () => '',
    );
    return /^tapeloom_cluster_tape_state\{state="(\w+)"\} 1$/m.exec(text)?.[1] ?? null;
  }

  /** Reads a metric without labels. */
  async metric(name: string): Promise<number> {
    const text = await (await this.internal('/metrics')).text();
    const value = new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1];
    assert(value !== undefined, `${this.name} has no metric ${name}`);
    return Number(value);
  }

  /** Opens a connection, with a key or without one for a token. */
  connect(key: string | null): TestSubscriber {
    return new TestSubscriber(`ws://${this.host}:${this.port}/v1`, key);
  }

  async get(path: string, key: string): Promise<Response> {
    return await fetch(`http://${this.host}:${this.port}${path}`, {
      headers: { authorization: `Bearer ${key}` },
      signal: AbortSignal.timeout(WAIT_LIMIT_MS),
    });
  }

  async send(method: string, path: string, key: string, body?: unknown): Promise<Response> {
    return await fetch(`http://${this.host}:${this.port}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(WAIT_LIMIT_MS),
    });
  }

  async kill(): Promise<void> {
    await this.#end('SIGKILL');
  }

  /** Stops the node as an operator does; returns the exit code. */
  async stop(): Promise<number | null> {
    return await this.#end('SIGTERM');
  }

  /** Suspends the process until `letGo`; its connections stay. */
  pause(): void {
    process.kill(this.service.pid, 'SIGSTOP');
  }

  letGo(): void {
    process.kill(this.service.pid, 'SIGCONT');
  }

  async #end(signal: 'SIGKILL' | 'SIGTERM'): Promise<number | null> {
    const service = this.#service;
    this.#service = null;
    return service === null ? null : (await service.stop(signal)).code;
  }
}
