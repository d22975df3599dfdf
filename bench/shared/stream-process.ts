/** Controls the process of `stream-server.ts` for a benchmark, with its own data directory. */

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type {
  BareRow,
  BareTimes,
  Drive,
  DriveRecord,
  EdgesWanted,
  FromStreamServer,
  ToStreamServer,
} from './stream-wire.ts';

type Answer<T extends FromStreamServer['t']> = Extract<FromStreamServer, { readonly t: T }>;

export class StreamProcess implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #directory: string;
  readonly #ready: Answer<'ready'>;

  private constructor(child: ChildProcess, directory: string, ready: Answer<'ready'>) {
    this.#child = child;
    this.#directory = directory;
    this.#ready = ready;
  }

  static async start(accounts: number): Promise<StreamProcess> {
    const directory = mkdtempSync(join(tmpdir(), 'tapeloom-bench-'));
    const url = new URL('./stream-server.ts', import.meta.url);
    const child = fork(url, [directory, String(accounts)], { serialization: 'advanced' });
    const ready = await answerOf(child, 'ready');
    return new StreamProcess(child, directory, ready);
  }

  get pid(): number {
    return this.#child.pid!;
  }

  get port(): number {
    return this.#ready.port;
  }

  get barePort(): number {
    return this.#ready.barePort;
  }

  get symbol(): string {
    return this.#ready.symbol;
  }

  get keys(): readonly string[] {
    return this.#ready.keys;
  }

  /** Resolves to the number of trades when the last one is on disk. */
  async drive(drive: Drive): Promise<number> {
    const { trades } = await this.#ask({ t: 'drive', drive }, 'driven');
    return trades;
  }

  async edges(topics: readonly EdgesWanted[]): Promise<DriveRecord> {
    const { record } = await this.#ask({ t: 'edges', topics }, 'edges');
    return record;
  }

  /** Resolves when the last row is written. */
  async bareWrites(rows: readonly BareRow[], topics: number): Promise<BareTimes> {
    const { times } = await this.#ask({ t: 'bare', rows, topics }, 'bare');
    return times;
  }

  usage(): Promise<Answer<'usage'>> {
    return this.#ask({ t: 'usage' }, 'usage');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.disconnect();
    await once(this.#child, 'exit');
    rmSync(this.#directory, { recursive: true });
  }

  #ask<T extends FromStreamServer['t']>(message: ToStreamServer, t: T): Promise<Answer<T>> {
    const answer = answerOf(this.#child, t);
    this.#child.send(message);
    return answer;
  }
}

/** The next message of this kind; rejects when the process ends first. */
function answerOf<T extends FromStreamServer['t']>(child: ChildProcess, t: T): Promise<Answer<T>> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer<T>>();
  const hear = (message: FromStreamServer) => {
    if (message.t === t) resolve(message as Answer<T>);
  };
  const end = () => reject(new Error('the process under the benchmark has ended'));
  child.on('message', hear).once('exit', end);
  return promise.finally(() => child.off('message', hear).off('exit', end));
}
