/** Controls the process of `history-server.ts`: its accounts, requests and memory. */

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { makeAccounts } from '../../tests/account-maker.ts';
import type { FromHistoryServer, ServerUsage, ToHistoryServer } from './history-wire.ts';
import { KeptConnections } from './kept-connections.ts';

export type Fields = Readonly<Record<string, string>>;

/** The time and size of a response; times count from the request. */
export interface Answered {
  readonly firstByteMs: number;
  readonly ms: number;
  readonly bytes: number;
  /** Set only with `keepBody`. */
  readonly body: Buffer | null;
}

/** An error body is shorter and arrives in one part. */
const FAULT_BYTES = 1_024;

let asked = 0;

/**
 * Parameters of a footprint near the default that no request has used. Clearing the disk cache is
 * not enough: a thread also has days in memory.
 */
export function newFootprint(): string {
  asked += 1;
  return JSON.stringify({ ratio: (300 + asked) / 100 });
}

export interface AskOptions {
  readonly keepBody?: boolean;
  readonly signal?: AbortSignal;
}

type Ready = Extract<FromHistoryServer, { readonly t: 'ready' }>;

export class HistoryProcess implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #data: string;
  readonly #ready: Ready;
  readonly #keys: readonly string[];
  readonly #connections = new KeptConnections();

  private constructor(child: ChildProcess, data: string, ready: Ready, keys: readonly string[]) {
    this.#child = child;
    this.#data = data;
    this.#ready = ready;
    this.#keys = keys;
  }

  /** Starts on a data directory with a tape; each call creates its own customers. */
  static async start(data: string, customers: number): Promise<HistoryProcess> {
    const name = `bench-${performance.now()}`;
    const names = Array.from({ length: customers }, (_, index) => `${name}-${index}`);
    const keys = await makeAccounts(data, names);
    const child = fork(new URL('./history-server.ts', import.meta.url), [data]);
    const ended = once(child, 'exit').then(([code]) => {
      throw new Error(`the process under the benchmark has ended with ${code}`);
    });
    const [ready] = (await Promise.race([once(child, 'message'), ended])) as [Ready];
    ended.catch(() => undefined);
    return new HistoryProcess(child, data, ready, keys);
  }

  /** The address for clients that connect by themselves. */
  get url(): string {
    return `http://127.0.0.1:${this.#ready.port}`;
  }

  keyOf(customer: number): string {
    return this.#keys[customer]!;
  }

  /** Sends a request as the customer of this number. */
  async ask(
    customer: number,
    path: string,
    fields: Fields,
    options: AskOptions = {},
  ): Promise<Answered> {
    const address = `${path}?${new URLSearchParams(fields)}`;
    const authorization = `Bearer ${this.#keys[customer]}`;
    return await this.#get(this.#ready.port, address, { authorization }, options);
  }

  /** The file that `sendFile` named, from the bare route. */
  async askFile(): Promise<Answered> {
    return await this.#get(this.#ready.filePort, '/file', {}, {});
  }

  /** The same file with its digest and two synced commits, the minimum of an export. */
  async askDigestedFile(): Promise<Answered> {
    return await this.#get(this.#ready.filePort, '/digested-file', {}, {});
  }

  async sendFile(path: string): Promise<void> {
    await this.#tell({ t: 'file', path });
  }

  async usage(): Promise<ServerUsage> {
    return await this.#tell({ t: 'usage' });
  }

  /** Whether any result is cached. */
  get isKept(): boolean {
    const files = readdirSync(this.#cache, { recursive: true });
    return files.some((name) => String(name).endsWith('.result'));
  }

  /** Deletes all cached results. Nothing may be running, and the newest results must be written. */
  clearCache(): void {
    rmSync(this.#cache, { recursive: true, force: true });
    mkdirSync(this.#cache);
  }

  get #cache(): string {
    return join(this.#data, 'cache');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#connections[Symbol.dispose]();
    this.#child.disconnect();
    await once(this.#child, 'exit');
  }

  async #tell(message: ToHistoryServer): Promise<ServerUsage> {
    this.#child.send(message);
    const [answer] = (await once(this.#child, 'message')) as [ServerUsage];
    return answer;
  }

  async #get(
    port: number,
    path: string,
    headers: Readonly<Record<string, string>>,
    { keepBody = false, signal }: AskOptions,
  ): Promise<Answered> {
    const parts: Buffer[] = [];
    let firstByteMs = 0;
    let bytes = 0;
    const startMs = performance.now();
    const status = await this.#connections.get({ port, path, headers, signal }, (part) => {
      if (bytes === 0) firstByteMs = performance.now() - startMs;
      bytes += part.length;
      if (keepBody) parts.push(Buffer.from(part));
      else if (bytes === part.length) parts.push(Buffer.from(part.subarray(0, FAULT_BYTES)));
    });
    const ms = performance.now() - startMs;
    const body = Buffer.concat(parts);
    if (status !== 200) throw new Error(`${path}: ${body.toString()}`);
    return { firstByteMs, ms, bytes, body: keepBody ? body : null };
  }
}
