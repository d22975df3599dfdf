/**
 * A service on a copy of a prepared data directory, restarted for each part. Once a second the
 * stage checks its memory, its open files, its status and its metrics.
 */

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { openFiles, residentBytes } from '../../bench/shared/process-holdings.ts';
import { makeAccounts } from '../account-maker.ts';
import { RunningService } from '../running-service.ts';
import { type CustomerKeys, liveOnlyOf } from './hostile-customers.ts';
import { HttpClient } from './hostile-http.ts';
import { OTHERS_PER_ACCOUNT } from './hostile-others.ts';
import {
  type CrowdOrder,
  type CrowdReport,
  type FromCrowd,
  nameOf,
  Tally,
  type ToCrowd,
} from './hostile-wire.ts';

/** Fewer than the strangers try to hold. */
export const FILES_MAX = 2_800;
const PAST = { TAPELOOM_SIM_SCALE: '1', TAPELOOM_SIM_DAYS: '8' };
const LOOK_MS = 1_000;
const SANDBOX_ACCOUNTS = 10;
const HISTORY_ACCOUNTS = 2;
const WATCHER = '127.200.0.1';
/** Gauges and counters that must stay 0. */
const TROUBLE = /^tapeloom_\w*(?:failed|lost|damaged|missing)\w*(?:\{[^}]*\})? (\S+)$/gm;
const FAILED_WRITES = /^tapeloom_\w+\{outcome="failed"\} (\S+)$/gm;

export interface StageKeys {
  readonly customers: CustomerKeys;
  readonly others: readonly string[];
  readonly sandbox: readonly string[];
  readonly history: readonly string[];
}

/** Makes the past and the accounts; returns the keys after the service has stopped. */
export async function prepare(
  data: string,
  { customers, others }: { readonly customers: number; readonly others: number },
): Promise<StageKeys> {
  const service = new RunningService({ data, env: PAST });
  await service.ready();
  const names = (name: string, count: number) =>
    Array.from({ length: count }, (_, index) => `${name}-${index}`);
  const liveOnly = liveOnlyOf(customers);
  const keys = {
    customers: {
      withHistory: await makeAccounts(data, names('customer', customers - liveOnly)),
      liveOnly: await makeAccounts(data, names('live', liveOnly), 'live', ['live']),
    },
    others: await makeAccounts(data, names('other', Math.ceil(others / OTHERS_PER_ACCOUNT))),
    sandbox: await makeAccounts(data, names('sandbox', SANDBOX_ACCOUNTS), 'live', []),
    history: await makeAccounts(data, names('history', HISTORY_ACCOUNTS), 'live', ['history']),
  };
  for (let made = -1, wanted = 0; made < wanted; await pause(LOOK_MS)) {
    const text = await (await service.internal('/metrics')).text();
    made = Number(/^tapeloom_fill_days (\S+)$/m.exec(text)![1]);
    wanted = Number(/^tapeloom_fill_days_wanted (\S+)$/m.exec(text)![1]);
  }
  await service.stop('SIGTERM');
  return keys;
}

export interface Look {
  readonly residentBytes: number;
  readonly files: number;
}

export class Stage implements AsyncDisposable {
  readonly #service: RunningService;
  readonly looks: Look[] = [];
  readonly #troubles = new Tally();
  readonly #ending = new AbortController();
  #looking: Promise<void> = Promise.resolve();
  #crowd: ChildProcess | null = null;

  private constructor(service: RunningService) {
    this.#service = service;
  }

  static async open(prepared: string, data: string): Promise<Stage> {
    cpSync(prepared, data, { recursive: true });
    const stage = new Stage(
      new RunningService({
        data,
        env: { ...PAST, TAPELOOM_LOG_LEVEL: 'warn' },
        openFiles: FILES_MAX,
      }),
    );
    await stage.#service.ready();
    stage.#looking = stage.#look();
    return stage;
  }

  get port(): number {
    return Number(new URL(this.#service.address('REST')).port);
  }

  /** Faults of the service itself, counted by kind. */
  get troubles(): Readonly<Record<string, number>> {
    return this.#troubles.counts;
  }

  get log(): string {
    return this.#service.errors;
  }

  /** Processor seconds of all threads so far. */
  async cpuSeconds(): Promise<number> {
    const text = await (await this.#service.internal('/metrics')).text();
    return Number(/^process_cpu_seconds_total (\S+)$/m.exec(text)![1]);
  }

  /** Starts a crowd; resolves when it is there. */
  async bring(order: CrowdOrder): Promise<void> {
    this.#crowd = fork(join(import.meta.dirname, 'hostile-crowd.ts'));
    const there = this.#heard('there');
    this.#crowd.send(order satisfies ToCrowd);
    await there;
  }

  async clear(): Promise<CrowdReport> {
    const left = this.#heard('left');
    this.#crowd!.send({ t: 'leave' } satisfies ToCrowd);
    const { report } = await left;
    this.#crowd = null;
    return report;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending.abort();
    this.#crowd?.kill('SIGKILL');
    await this.#looking;
    const { code } = await this.#service.stop('SIGTERM');
    if (code !== 0) console.log(`the service ended with ${code}`);
  }

  async #heard<T extends FromCrowd['t']>(t: T): Promise<Extract<FromCrowd, { readonly t: T }>> {
    const ended = once(this.#crowd!, 'exit').then(([code]) => {
      throw new Error(`the crowd's process ended with ${code}`);
    });
    ended.catch(() => undefined);
    const [message] = (await Promise.race([once(this.#crowd!, 'message'), ended])) as [FromCrowd];
    if (message.t !== t) throw new Error(`the crowd said ${message.t} instead of ${t}`);
    return message as Extract<FromCrowd, { readonly t: T }>;
  }

  async #look(): Promise<void> {
    const { signal } = this.#ending;
    while (!signal.aborted) {
      const { pid } = this.#service;
      this.looks.push({ residentBytes: residentBytes(pid), files: openFiles(pid) });
      await Promise.all([this.#lookAtStatus(), this.#lookAtMetrics()]).catch((error: unknown) => {
        if (!signal.aborted) this.#troubles.add(nameOf(error));
      });
      await pause(LOOK_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  /** Requests the status without a key, on a new connection each time. */
  async #lookAtStatus(): Promise<void> {
    using visitor = new HttpClient({ port: this.port, key: null, localAddress: WATCHER });
    const { status, text } = await visitor.ask('GET', '/v1/status');
    if (status !== 200) this.#troubles.add(`status ${status}`);
    else if (!text.includes('"engine":{"state":"up"}')) this.#troubles.add('the engine is down');
  }

  async #lookAtMetrics(): Promise<void> {
    const text = await (await this.#service.internal('/metrics')).text();
    for (const pattern of [TROUBLE, FAILED_WRITES]) {
      for (const [line, value] of text.matchAll(pattern)) {
        if (Number(value) > 0) this.#troubles.add(line);
      }
    }
  }
}
