/**
 * Notifies systemd about a service of `Type=notify`: ready, reloading, stopping, alive. Node has no unix datagram
 * sockets, so `systemd-notify` sends the messages. One shell, started at the beginning, runs it for every line it
 * reads: forking the service itself would take longer as its memory grows. The shell ends with the service. A starting
 * service asks for more time, so a long start is not taken for a failed one.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import type { Clock } from './clock.ts';

/** Stopping the unit signals all its processes; the shell must survive that to report the stop. */
const HELPER = 'trap "" TERM INT HUP; while read -r line; do systemd-notify $line 2>&1; done';
const EXTEND_EVERY_MS = 10_000;
const EXTEND_BY_USEC = 60_000_000;
/** Several for each timeout, so one that is late or missing does no harm. */
const ALIVE_PER_TIMEOUT = 3;

export interface ServiceManagerOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Pick<Clock, 'every'>;
  /** The machine's monotonic clock in microseconds. */
  readonly monotonicUsec?: () => bigint;
  readonly onFault: (why: string) => void;
}

export class ServiceManager implements Disposable {
  readonly #options: ServiceManagerOptions;
  readonly #child: ChildProcess;
  /** Asks for time while starting, and reports that the service is alive afterwards. */
  #timer: Disposable;
  #isFaulty = false;
  #isStopping = false;

  private constructor(options: ServiceManagerOptions) {
    this.#options = options;
    const env = options.env as NodeJS.ProcessEnv;
    this.#child = spawn('sh', ['-c', HELPER], { stdio: ['pipe', 'pipe', 'ignore'], env });
    this.#child.on('error', (error) => this.#fault(error.message));
    this.#child.stdin!.on('error', (error) => this.#fault(error.message));
    this.#child.stdout!.setEncoding('utf8').on('data', (text: string) => this.#fault(text.trim()));
    // None of these may keep the process from ending.
    this.#child.unref();
    for (const stream of [this.#child.stdin!, this.#child.stdout!]) {
      (stream as unknown as { unref(): void }).unref();
    }
    const extend = () => this.#say(`EXTEND_TIMEOUT_USEC=${EXTEND_BY_USEC}`);
    this.#timer = options.clock.every(EXTEND_EVERY_MS, extend);
    extend();
  }

  /** Null: systemd expects no notifications. */
  static of(options: ServiceManagerOptions): ServiceManager | null {
    return options.env.NOTIFY_SOCKET ? new ServiceManager(options) : null;
  }

  /** Starts to report that the service is alive, if systemd asks for it and while it is true. */
  ready(isAlive: () => boolean): void {
    // An interrupted start may still complete.
    if (this.#isStopping) return;
    this.#timer[Symbol.dispose]();
    this.#say('READY=1');
    const usec = Number(this.#options.env.WATCHDOG_USEC ?? 0);
    if (!(usec > 0)) return;
    this.#timer = this.#options.clock.every(usec / (1_000 * ALIVE_PER_TIMEOUT), () => {
      if (isAlive()) this.#say('WATCHDOG=1');
    });
  }

  async reloading(work: () => Promise<void>): Promise<void> {
    const { monotonicUsec = () => process.hrtime.bigint() / 1_000n } = this.#options;
    this.#say(`RELOADING=1 MONOTONIC_USEC=${monotonicUsec()}`);
    await work();
    this.#say('READY=1');
  }

  stopping(): void {
    this.#isStopping = true;
    this.#timer[Symbol.dispose]();
    this.#say('STOPPING=1');
  }

  [Symbol.dispose](): void {
    this.#timer[Symbol.dispose]();
    this.#child.stdin!.end();
  }

  #say(line: string): void {
    this.#child.stdin!.write(`${line}\n`);
  }

  #fault(why: string): void {
    if (this.#isFaulty) return;
    this.#isFaulty = true;
    this.#options.onFault(why);
  }
}
