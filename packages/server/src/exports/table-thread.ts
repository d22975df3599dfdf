/**
 * The main thread's hold on the thread that writes tables, which takes some microseconds a row. The thread
 * is started when the first table is opened. How many are open is limited, in all and for one account, since
 * each keeps a group of rows. A thread that dies takes its tables with it; the next one that is opened
 * starts another.
 */

import { Worker } from 'node:worker_threads';
import {
  ComputeClosedError,
  ComputeFailedError,
  ComputeFullError,
} from '../history/compute-errors.ts';
import type { FromTableThread, TableCall, ToTableThread } from './table-wire.ts';
import type { TableLines, TableSpec } from './table-writer.ts';

const OPEN_MAX = 32;
const OPEN_PER_ACCOUNT_MAX = 8;
const RETRY_AFTER_SECONDS = 5;

type Pieces = readonly Uint8Array<ArrayBuffer>[];

/** A table that is being written; one call at a time. */
export interface OpenTable extends Disposable {
  /** What the file begins with. */
  readonly beginning: Pieces;
  /** What these lines complete. */
  add(span: TableLines): Promise<Pieces>;
  end(): Promise<Pieces>;
}

export interface TableThreadOptions {
  /** A table failed, or the thread died. */
  readonly onFault: (error: unknown) => void;
  readonly startThread?: () => Worker;
}

interface Opened {
  readonly account: string;
  /** Null while nothing was asked. */
  asked: PromiseWithResolvers<Pieces> | null;
}

export class TableThread implements AsyncDisposable {
  readonly #options: TableThreadOptions;
  readonly #opened = new Map<number, Opened>();
  #worker: Worker | null = null;
  #lastTable = 0;
  #isOver = false;

  constructor(options: TableThreadOptions) {
    this.#options = options;
  }

  get openCount(): number {
    return this.#opened.size;
  }

  /** Rejects with `ComputeFullError` when there is no room. */
  async open(account: string, spec: TableSpec): Promise<OpenTable> {
    if (this.#isOver) throw new ComputeClosedError();
    const ofAccount = this.#opened.values().filter((one) => one.account === account);
    if (this.#opened.size >= OPEN_MAX || ofAccount.toArray().length >= OPEN_PER_ACCOUNT_MAX) {
      throw new ComputeFullError('too many tables are being written', RETRY_AFTER_SECONDS);
    }
    this.#lastTable += 1;
    const table = this.#lastTable;
    this.#opened.set(table, { account, asked: null });
    const beginning = await this.#ask(table, { t: 'open', spec });
    return {
      beginning,
      add: (span) => this.#ask(table, { t: 'add', span }),
      end: () => this.#ask(table, { t: 'end' }),
      [Symbol.dispose]: () => this.#close(table),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    this.#endAll(() => new ComputeClosedError());
    await this.#worker?.terminate();
  }

  #ask(table: number, call: TableCall): Promise<Pieces> {
    const asked = Promise.withResolvers<Pieces>();
    const opened = this.#opened.get(table);
    if (this.#isOver) asked.reject(new ComputeClosedError());
    // The thread died since it was opened.
    else if (opened === undefined) asked.reject(new ComputeFailedError());
    else {
      opened.asked = asked;
      this.#worker ??= this.#start();
      this.#worker.postMessage({ ...call, table } satisfies ToTableThread);
    }
    return asked.promise;
  }

  #close(table: number): void {
    if (!this.#opened.delete(table)) return;
    this.#worker?.postMessage({ t: 'close', table } satisfies ToTableThread);
  }

  #start(): Worker {
    const worker = this.#options.startThread?.() ?? startTableThread();
    worker.on('message', (message: FromTableThread) => this.#receive(message));
    worker.on('error', (error) => this.#lose(worker, error));
    worker.on('exit', (code) => this.#lose(worker, new Error(`it ended with code ${code}`)));
    return worker;
  }

  #receive(message: FromTableThread): void {
    const asked = this.#opened.get(message.table)?.asked;
    if (message.t === 'bytes') {
      asked?.resolve(message.pieces);
      return;
    }
    this.#opened.delete(message.table);
    this.#options.onFault(message.error);
    asked?.reject(new ComputeFailedError(message.error));
  }

  #lose(worker: Worker, cause: unknown): void {
    if (this.#worker !== worker || this.#isOver) return;
    this.#worker = null;
    this.#endAll(() => new ComputeFailedError(cause));
    this.#options.onFault(cause);
  }

  #endAll(error: () => Error): void {
    for (const { asked } of this.#opened.values()) asked?.reject(error());
    this.#opened.clear();
  }
}

function startTableThread(): Worker {
  return new Worker(new URL('./table-worker.ts', import.meta.url), { name: 'tables' });
}
