/**
 * What systemd is told of a service of `Type=notify`: that it is ready, reloads, stops, and is alive. Node has no unix
 * datagram sockets, so `systemd-notify` sends the messages. One shell is started at the beginning and calls it for every line
 * it reads: forking the service itself would take longer as its memory grows. The shell ends with the service.
 *
 * While the service starts, it asks for more time, so a long start is not taken for a failed one.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import type { Clock } from './clock.ts';

/** A stop of the unit signals all of its processes; the shell has to outlive that to tell of the stop. */
const HELPER = 'trap "" TERM INT HUP; while read -r line; do systemd-notify $line 2>&1; done';
const EXTEND_EVERY_MS = 10_000;
const EXTEND_BY_USEC = 60_000_000;
/** One that is late or left out does no harm. */
const ALIVE_PER_TIMEOUT = 3;

export interface ServiceManagerOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Pick<Clock, 'every'>;
  /** Microseconds of the machine's monotonic clock. */
  readonly monotonicUsec?: () => bigint;
  /** It could not be told; once. */
  readonly onFault: (why: string) => void;
}

export class ServiceManager implements Disposable {
  readonly #options: ServiceManagerOptions;
  readonly #child: ChildProcess;
  /** Asks for time, or says that the service is alive. */
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
    // None of it keeps the process from ending.
    this.#child.unref();
    for (const stream of [this.#child.stdin!, this.#child.stdout!]) {
      (stream as unknown as { unref(): void }).unref();
    }
    const extend = () => this.#say(`EXTEND_TIMEOUT_USEC=${EXTEND_BY_USEC}`);
    this.#timer = options.clock.every(EXTEND_EVERY_MS, extend);
    extend();
  }

  /** Null: nobody waits to be told. */
  static of(options: ServiceManagerOptions): ServiceManager | null {
    return options.env.NOTIFY_SOCKET ? new ServiceManager(options) : null;
  }

  /** From now on it is told that the service is alive, where it asks for that and as long as it is so. */
  ready(isAlive: () => boolean): void {
    // A start that was interrupted may still come to its end.
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
