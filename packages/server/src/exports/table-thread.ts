/**
 * The main thread's handle of the thread that writes tables, some microseconds a row. It starts with the first table
 * and ends when none was open for a while: only that frees all its memory. Open tables are limited, in all and per
 * account, since each holds up to a group of packed rows; some slots are for accounts without one. The thread does one
 * piece of work at a time, next for the account served longest ago. When it dies, its tables are lost.
 */

import { Worker } from 'node:worker_threads';
import type { Clock } from '../platform/clock.ts';
import { Refusal } from '../platform/refusal.ts';
import { FairQueue } from '../platform/sharing/fair-queue.ts';
import { SharedSlots } from '../platform/sharing/shared-slots.ts';
import type { ShareLimits } from '../platform/sharing/shares.ts';
import { Thread } from '../platform/threads/thread.ts';
import type { PackedLines } from './table-rows.ts';
import type { Pieces, TableShape } from './table-wire.ts';
import type { TableSpec } from './table-writer.ts';

export const OPEN_LIMITS: ShareLimits = { eachMax: 8, allMax: 32, keptForNew: 8 };

/** Restarting it takes a tenth of a second. */
const REST_MS = 20_000;

/** For young objects, three times a semi-space. Small rather than fast: all tables wait for their readers. */
const YOUNG_MIB_MAX = 12;

/** A table that is being written; one call at a time. */
export interface OpenTable extends Disposable {
  /** The beginning of the file. */
  readonly beginning: Pieces;
  /** The pieces that these lines complete. */
  add(lines: PackedLines): Promise<Pieces>;
  end(): Promise<Pieces>;
}

export interface TableThreadOptions {
  readonly timers: Pick<Clock, 'after'>;
  /** A table failed, or the thread died. */
  readonly onFault: (error: unknown) => void;
  readonly startThread?: () => Worker;
}

interface Opened {
  readonly account: string;
  readonly slot: Disposable;
}

interface Waiting {
  readonly account: string;
  readonly table: number;
  readonly turn: PromiseWithResolvers<Thread<TableShape>>;
}

export class TableThread implements AsyncDisposable {
  readonly #options: TableThreadOptions;
  readonly #opened = new Map<number, Opened>();
  readonly #slots = new SharedSlots(OPEN_LIMITS);
  readonly #waiting = new FairQueue<Waiting>();
  /** By account with tables: the number of the last piece of work done for it. */
  readonly #served = new Map<string, number>();
  #lastServed = 0;
  #isWorking = false;
  #thread: Thread<TableShape> | null = null;
  /** Runs until the thread is ended, while no table is open. */
  #rest: Disposable | null = null;
  #lastTable = 0;
  #isOver = false;

  constructor(options: TableThreadOptions) {
    this.#options = options;
  }

  /** Tables being written. */
  get openCount(): number {
    return this.#slots.count;
  }

  /** Tables rejected because no slot was free, since the start. */
  get refusedCount(): number {
    return this.#slots.refusedCount;
  }

  /** Rejects when no slot is free. */
  async open(account: string, spec: TableSpec): Promise<OpenTable> {
    if (this.#isOver) throw new Refusal({ t: 'shut-down' });
    const slot = this.#slots.enter(account);
    if (slot === null) throw new Refusal({ t: 'full', what: 'tables' });
    this.#rest?.[Symbol.dispose]();
    this.#lastTable += 1;
    const table = this.#lastTable;
    this.#opened.set(table, { account, slot });
    return {
      beginning: await this.#ask(table, (thread) => thread.call('open', table, spec)),
      add: (lines) => this.#ask(table, (thread) => thread.call('add', table, lines)),
      end: () => this.#ask(table, (thread) => thread.call('end', table)),
      [Symbol.dispose]: () => this.#close(table),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    this.#rest?.[Symbol.dispose]();
    this.#endAll(new Refusal({ t: 'shut-down' }));
    await this.#thread?.[Symbol.asyncDispose]();
  }

  async #ask(
    table: number,
    call: (thread: Thread<TableShape>) => Promise<Pieces>,
  ): Promise<Pieces> {
    const opened = this.#opened.get(table);
    if (this.#isOver) throw new Refusal({ t: 'shut-down' });
    // The thread has died since the table was opened.
    if (opened === undefined) throw new Refusal({ t: 'failed' });
    const turn = Promise.withResolvers<Thread<TableShape>>();
    const { account } = opened;
    this.#waiting.add(account, { account, table, turn });
    this.#workOn();
    const thread = await turn.promise;
    try {
      return await call(thread);
    } catch (error) {
      this.#forget(table);
      throw error;
    } finally {
      this.#isWorking = false;
      this.#workOn();
    }
  }

  /** Starts the next piece of work, unless one is running. */
  #workOn(): void {
    const next = this.#isWorking ? null : this.#next();
    if (next === null) return;
    const { account, turn } = next;
    this.#waiting.delete(account, next);
    this.#lastServed += 1;
    this.#served.set(account, this.#lastServed);
    this.#isWorking = true;
    this.#thread ??= this.#start();
    turn.resolve(this.#thread);
  }

  /** The next work of an account that was not served yet, or else longest ago. */
  #next(): Waiting | null {
    const served = (account: string) => this.#served.get(account) ?? 0;
    return this.#waiting.next((one, other) => served(one) < served(other));
  }

  #close(table: number): void {
    if (!this.#forget(table)) return;
    for (const one of [...this.#waiting]) {
      if (one.table === table) this.#waiting.delete(one.account, one);
    }
    this.#thread?.tell({ t: 'close', table });
  }

  #forget(table: number): boolean {
    const opened = this.#opened.get(table);
    if (opened === undefined) return false;
    const { account, slot } = opened;
    this.#opened.delete(table);
    slot[Symbol.dispose]();
    if (!this.#opened.values().some((one) => one.account === account)) this.#served.delete(account);
    if (this.#opened.size === 0 && !this.#isOver) this.#restSoon();
    return true;
  }

  #restSoon(): void {
    this.#rest?.[Symbol.dispose]();
    this.#rest = this.#options.timers.after(REST_MS, () => {
      const thread = this.#thread;
      this.#thread = null;
      void thread?.[Symbol.asyncDispose]();
    });
  }

  #start(): Thread<TableShape> {
    const { onFault, startThread = startTableThread } = this.#options;
    return new Thread<TableShape>(startThread(), {
      name: 'it',
      movesMemory: true,
      hear: ({ error }) => onFault(error),
      errorOf: (reason) => new Refusal(reason),
      goneError: (cause) => new Refusal({ t: 'failed' }, cause),
      closedError: () => new Refusal({ t: 'shut-down' }),
      onGone: (cause) => {
        this.#thread = null;
        this.#endAll(new Refusal({ t: 'failed' }, cause));
        onFault(cause);
      },
    });
  }

  #endAll(error: Refusal): void {
    for (const one of [...this.#waiting]) {
      this.#waiting.delete(one.account, one);
      one.turn.reject(error);
    }
    for (const table of [...this.#opened.keys()]) this.#forget(table);
  }
}

function startTableThread(): Worker {
  return new Worker(new URL('./table-worker.ts', import.meta.url), {
    name: 'tables',
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MIB_MAX },
  });
}
