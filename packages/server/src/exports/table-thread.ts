/**
 * The main thread's hold on the thread that writes tables, which takes some microseconds a row. The thread
 * is started when the first table is opened. How many are open is limited, in all and for one account, since
 * each keeps a group of rows; some are for accounts that have none. The thread has one piece of work at a
 * time, the next one of the account that was served longest ago; a table that nobody pulls asks for nothing.
 * A thread that dies takes its tables with it; the next one that is opened starts another.
 */

import { Worker } from 'node:worker_threads';
import type { BlockParts } from '../blocks/block.ts';
import { Refusal } from '../platform/refusal.ts';
import { type PlaceLimits, SharedPlaces } from '../platform/shared-places.ts';
import type { FromTableThread, TableCall, ToTableThread } from './table-wire.ts';
import type { TableSpec } from './table-writer.ts';

export const OPEN_LIMITS: PlaceLimits = { eachMax: 8, allMax: 32, keptForNew: 8 };

type Pieces = readonly Uint8Array<ArrayBuffer>[];

/** A table that is being written; one call at a time. */
export interface OpenTable extends Disposable {
  /** What the file begins with. */
  readonly beginning: Pieces;
  /** What these updates complete; their memory moves away. */
  add(block: BlockParts): Promise<Pieces>;
  end(): Promise<Pieces>;
}

export interface TableThreadOptions {
  /** A table failed, or the thread died. */
  readonly onFault: (error: unknown) => void;
  readonly startThread?: () => Worker;
}

interface Opened {
  readonly account: string;
  readonly place: Disposable;
  /** Null while nothing is asked. */
  asked: PromiseWithResolvers<Pieces> | null;
}

interface Waiting {
  readonly account: string;
  readonly message: ToTableThread;
}

export class TableThread implements AsyncDisposable {
  readonly #options: TableThreadOptions;
  readonly #opened = new Map<number, Opened>();
  readonly #places = new SharedPlaces(OPEN_LIMITS);
  readonly #waiting = new Set<Waiting>();
  /** Accounts in the order in which they were served, of those that have tables. */
  readonly #served = new Set<string>();
  /** The table that is worked on. */
  #working: number | null = null;
  #worker: Worker | null = null;
  #lastTable = 0;
  #isOver = false;

  constructor(options: TableThreadOptions) {
    this.#options = options;
  }

  /** Tables that are being written. */
  get openCount(): number {
    return this.#places.count;
  }

  /** Tables for which there was no room, since the start. */
  get refusedCount(): number {
    return this.#places.refusedCount;
  }

  /** Refused when there is no room. */
  async open(account: string, spec: TableSpec): Promise<OpenTable> {
    if (this.#isOver) throw new Refusal({ t: 'shut-down' });
    const place = this.#places.enter(account);
    if (place === null) throw new Refusal({ t: 'full', what: 'tables' });
    this.#lastTable += 1;
    const table = this.#lastTable;
    this.#opened.set(table, { account, place, asked: null });
    const beginning = await this.#ask(table, { t: 'open', spec });
    return {
      beginning,
      add: (block) => this.#ask(table, { t: 'add', block }),
      end: () => this.#ask(table, { t: 'end' }),
      [Symbol.dispose]: () => this.#close(table),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    this.#endAll(() => new Refusal({ t: 'shut-down' }));
    await this.#worker?.terminate();
  }

  #ask(table: number, call: TableCall): Promise<Pieces> {
    const asked = Promise.withResolvers<Pieces>();
    const opened = this.#opened.get(table);
    if (this.#isOver) asked.reject(new Refusal({ t: 'shut-down' }));
    // The thread died since it was opened.
    else if (opened === undefined) asked.reject(new Refusal({ t: 'failed' }));
    else {
      opened.asked = asked;
      this.#waiting.add({ account: opened.account, message: { ...call, table } });
      this.#workOn();
    }
    return asked.promise;
  }

  /** The next piece of work, unless there is one. */
  #workOn(): void {
    if (this.#working !== null) return;
    const next = this.#next();
    if (next === null) return;
    const { account, message } = next;
    this.#waiting.delete(next);
    this.#served.delete(account);
    this.#served.add(account);
    this.#working = message.table;
    this.#worker ??= this.#start();
    this.#worker.postMessage(message, message.t === 'add' ? [message.block.memory] : []);
  }

  /** Of an account that was not served yet, or else longest ago. */
  #next(): Waiting | null {
    const order = [...this.#served];
    let next: Waiting | null = null;
    for (const one of this.#waiting) {
      if (next === null || order.indexOf(one.account) < order.indexOf(next.account)) next = one;
    }
    return next;
  }

  #close(table: number): void {
    if (!this.#forget(table)) return;
    for (const one of this.#waiting) if (one.message.table === table) this.#waiting.delete(one);
    this.#worker?.postMessage({ t: 'close', table } satisfies ToTableThread);
  }

  #forget(table: number): boolean {
    const opened = this.#opened.get(table);
    if (opened === undefined) return false;
    const { account, place } = opened;
    this.#opened.delete(table);
    place[Symbol.dispose]();
    if (!this.#opened.values().some((one) => one.account === account)) this.#served.delete(account);
    return true;
  }

  #start(): Worker {
    const worker = this.#options.startThread?.() ?? startTableThread();
    worker.on('message', (message: FromTableThread) => this.#receive(message));
    worker.on('error', (error) => this.#lose(worker, error));
    worker.on('exit', (code) => this.#lose(worker, new Error(`it ended with code ${code}`)));
    return worker;
  }

  #receive(message: FromTableThread): void {
    const { table } = message;
    const opened = this.#opened.get(table);
    const asked = opened?.asked;
    if (opened !== undefined) opened.asked = null;
    if (message.t === 'bytes') asked?.resolve(message.pieces);
    else {
      this.#forget(table);
      this.#options.onFault(message.error);
      asked?.reject(new Refusal({ t: 'failed' }, message.error));
    }
    this.#working = null;
    this.#workOn();
  }

  #lose(worker: Worker, cause: unknown): void {
    if (this.#worker !== worker || this.#isOver) return;
    this.#worker = null;
    this.#endAll(() => new Refusal({ t: 'failed' }, cause));
    this.#options.onFault(cause);
  }

  #endAll(error: () => Error): void {
    this.#working = null;
    this.#waiting.clear();
    for (const [table, { asked }] of [...this.#opened]) {
      asked?.reject(error());
      this.#forget(table);
    }
  }
}

function startTableThread(): Worker {
  return new Worker(new URL('./table-worker.ts', import.meta.url), { name: 'tables' });
}
