/**
 * Several machines that share one tape, in one process: each with its own disk, connection and clock, on one stream in
 * memory. A scripted source repeats an offer to the appending node until a node acknowledges it.
 */

import assert from 'node:assert/strict';
// Sealing a day imports this lazily, which takes real time; importing it here avoids that during simulated time.
import '../../src/tape/read/arrow-day.ts';
import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import { seededRandom } from '../../../../simulation/clock/seeded-random.ts';
import { type Random, SimDisk } from '../../../../simulation/disk/sim-disk.ts';
import { MemoryObjects } from '../../../../simulation/stream-storage/memory-objects.ts';
import {
  MemoryKeeper,
  type MemoryStream,
} from '../../../../simulation/stream-storage/memory-stream.ts';
import { StreamTime } from '../../../../simulation/stream-storage/stream-time.ts';
import type { Clock } from '../../src/platform/clock.ts';
import type { Disk } from '../../src/platform/disk/disk.ts';
import { sleep } from '../../src/platform/waiting/sleep.ts';
import { SharedTape } from '../../src/tape/shared/shared-tape.ts';
import type { LeadTerm } from '../../src/tape/shared/shared-tape-options.ts';
import type { TapeBook } from '../../src/tape/stream/tape-book.ts';
import type { TapeObjects } from '../../src/tape/stream/tape-stream.ts';
import { zstdAtOnce } from '../platform/zstd-at-once.ts';
import { feedScript, SCRIPT_SYMBOLS, type ScriptedOffer, type ScriptPace } from './feed-script.ts';
import { allDays, allTapeRows, DATASET, openSimTape, TAPE_ROOT } from './tape-on-sim-disk.ts';

const LONG_AFTER = 4_000_000_000_000_000_000n as EpochNs;
/** Between two offers. */
const OFFER_EVERY_MS = 30;

/** The world that all nodes share. */
export class SharedWorld {
  readonly time = new StreamTime();
  readonly keeper = new MemoryKeeper(this.time);
  readonly objects = new MemoryObjects();
  readonly offers: readonly ScriptedOffer[];
  readonly random: Random;
  /** Acknowledged offers, which are never repeated. */
  acknowledged = 0;
  /** The last offer to make. */
  untilOffer: number;

  constructor(seed: number, pace: ScriptPace, offers: number) {
    const script = feedScript(seed, pace);
    this.offers = Array.from({ length: offers }, () => script.next().value);
    this.untilOffer = offers;
    this.random = seededRandom(seed + 1);
  }

  get isFed(): boolean {
    return this.acknowledged === this.untilOffer;
  }

  node(name: string, mayLead = true, hooks: NodeHooks = {}): SharedNode {
    return new SharedNode(this, name, mayLead, hooks);
  }

  /** Advances time until the condition holds. */
  async until(what: string, isSo: () => boolean, msMax = 300_000): Promise<void> {
    const from = this.time.ms;
    while (!isSo()) {
      assert.ok(this.time.ms - from < msMax, `never: ${what}`);
      await this.time.pass(10);
    }
  }

  /** Checks that these nodes' tapes equal that of an undisturbed single machine with everything acknowledged. */
  async assertEqual(...nodes: readonly SharedNode[]): Promise<void> {
    await this.until('all nodes are at the end', () =>
      nodes.every(({ tape }) => tape?.report.sequence === this.keeper.last),
    );
    await using alone = await openSimTape(new SimDisk().boot());
    for (const { batches, promise, notes } of this.offers.slice(0, this.acknowledged)) {
      await alone.intake.offer(batches, promise, notes);
    }
    await alone.intake.sealed();
    await this.until('all sealed days are everywhere', () =>
      nodes.every(({ tape }) => {
        const own = JSON.stringify(digests(tape!));
        return own === JSON.stringify(sortedDigests(alone.manifest.days));
      }),
    );
    const expected = await allTapeRows(alone.tape);
    for (const { name, tape } of nodes) {
      assert.equal(tape!.publisher.promise, alone.publisher.promise, `promise of ${name}`);
      assert.deepEqual(await allTapeRows(tape!.tape), expected, `trades of ${name}`);
      assert.deepEqual(notesOf(tape!), notesOf(alone), `notes of ${name}`);
      await this.until('no sealed day is in memory', () => tape!.publisher.days.length <= 1);
      assert.deepEqual(await allDays(tape!.tape), await allDays(alone.tape), `days of ${name}`);
    }
  }
}

/** A clock that stops with its process; timers due meanwhile fire when it continues. */
class ProcessClock implements Clock {
  readonly #time: StreamTime;
  #state: 'runs' | 'stopped' | 'dead' = 'runs';
  #due: (() => void)[] = [];

  constructor(time: StreamTime) {
    this.#time = time;
  }

  now(): EpochNs {
    return this.#time.now();
  }

  after(ms: number, run: () => void): Disposable {
    let isOver = false;
    const timer = this.#time.after(ms, () => this.#run(() => isOver || run()));
    return {
      [Symbol.dispose]: () => {
        isOver = true;
        timer[Symbol.dispose]();
      },
    };
  }

  every(ms: number, run: () => void): Disposable {
    return this.#time.every(ms, () => {
      if (this.#state === 'runs') run();
    });
  }

  stop(): void {
    this.#state = 'stopped';
  }

  goOn(): void {
    this.#state = 'runs';
    const due = this.#due;
    this.#due = [];
    for (const run of due) run();
  }

  die(): void {
    this.#state = 'dead';
  }

  #run(run: () => void): void {
    if (this.#state === 'runs') run();
    else if (this.#state === 'stopped') this.#due.push(run);
  }
}

/** Hooks around a node's tape. */
export interface NodeHooks {
  /** Default: those of the script. */
  readonly listed?: readonly string[];
  /** Instead of the shared ones. */
  readonly objects?: TapeObjects;
  /** Before it follows. */
  opened?(tape: SharedTape, place: { readonly disk: Disk; readonly clock: Clock }): void;
  book?(book: TapeBook): void | Promise<void>;
  dayFetched?(symbol: string, day: UtcDay): void;
  /** Besides its source. */
  lead?(term: LeadTerm): Promise<void>;
}

export class SharedNode {
  readonly name: string;
  readonly machine = new SimDisk();
  readonly mayLead: boolean;
  readonly fetched: string[] = [];
  /** Every book that it has received, newest last. */
  readonly books: TapeBook[] = [];
  readonly faults: string[] = [];
  tape: SharedTape | null = null;
  stream!: MemoryStream;
  /** Why it stopped processing; null while it processes. */
  down: unknown = null;
  readonly #world: SharedWorld;
  readonly #hooks: NodeHooks;
  #clock!: ProcessClock;

  constructor(world: SharedWorld, name: string, mayLead: boolean, hooks: NodeHooks) {
    this.#world = world;
    this.#hooks = hooks;
    this.name = name;
    this.mayLead = mayLead;
  }

  get isLeading(): boolean {
    return this.tape?.report.role === 'leading';
  }

  async start(): Promise<void> {
    const world = this.#world;
    const hooks = this.#hooks;
    const clock = new ProcessClock(world.time);
    this.#clock = clock;
    this.stream = world.keeper.connect(clock);
    this.down = null;
    const disk = this.machine.boot();
    const opening = SharedTape.open({
      disk,
      ...{ tapeRoot: TAPE_ROOT, dataset: DATASET, cluster: 'one', node: this.name },
      mayLead: this.mayLead,
      stream: this.stream,
      objects: hooks.objects ?? world.objects,
      packing: zstdAtOnce,
      clock,
      random: world.random,
      listed: () => hooks.listed ?? SCRIPT_SYMBOLS,
      now: () => LONG_AFTER,
      handler: {
        book: (book) => {
          this.books.push(book);
          return hooks.book?.(book);
        },
        dayFetched: (symbol: string, day: UtcDay) => {
          this.fetched.push(`${symbol} ${day}`);
          hooks.dayFetched?.(symbol, day);
        },
        dayRemoved: () => {},
        lead: async (term) => {
          await Promise.all([this.#feed(term), hooks.lead?.(term)]);
        },
        state: () => {},
        fault: (what, error) => this.faults.push(`${what}: ${error}`),
      },
    });
    const tape = await world.time.until(opening);
    this.tape = tape;
    hooks.opened?.(tape, { disk, clock });
    tape.run().catch((error: unknown) => {
      if (this.tape === tape) this.down = error;
    });
  }

  /** Stops it as an operator does. */
  async stop(): Promise<void> {
    const { tape } = this;
    this.tape = null;
    await this.#world.time.until(tape!.leave().then(() => tape![Symbol.asyncDispose]()));
    await this.stream[Symbol.asyncDispose]();
  }

  /** Ends the process, alone or with the power of its machine. */
  kill(end: 'kill' | 'power' | 'torn' = 'kill'): void {
    this.#clock.die();
    this.stream.line.isCut = true;
    void this.stream[Symbol.asyncDispose]();
    this.tape = null;
    if (end === 'kill') this.machine.kill();
    else this.machine.crash(end === 'torn' ? this.#world.random : null);
  }

  pause(): void {
    this.#clock.stop();
  }

  goOn(): void {
    this.#clock.goOn();
  }

  async #feed({ intake, signal, bookChanged, setReady }: LeadTerm): Promise<void> {
    const world = this.#world;
    setReady();
    await bookChanged();
    while (!signal.aborted) {
      const offer = world.offers[world.acknowledged];
      if (world.acknowledged < world.untilOffer && offer !== undefined) {
        await intake.offer(offer.batches, offer.promise, offer.notes);
        world.acknowledged += 1;
      }
      await sleep(this.#clock, OFFER_EVERY_MS);
    }
  }
}

/** Of the newest day. */
function notesOf({ publisher }: Pick<SharedTape, 'publisher'>) {
  return publisher.days.at(-1)?.notes.all;
}

function digests({ manifest }: SharedTape): unknown {
  return sortedDigests(manifest.days);
}

function sortedDigests(days: ReadonlyMap<string, ReadonlyMap<UtcDay, string>>): unknown {
  return [...days].map(([symbol, of]) => [symbol, [...of].sort(([a], [b]) => a - b)]).sort();
}
