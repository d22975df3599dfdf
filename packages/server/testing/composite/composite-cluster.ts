/**
 * A composite on three machines with one shared tape. Every machine has its own copies of the members' tapes, which lag
 * differently; a process that starts again may have lost the newest part of them, and receives it again.
 */

import assert from 'node:assert/strict';
import type { EpochNs } from '@tapeloom/core/numbers';
import { seededRandom } from '../../../../simulation/clock/seeded-random.ts';
import { SimDisk } from '../../../../simulation/disk/sim-disk.ts';
import { CompositeSource } from '../../src/markets/composite/composite-source.ts';
import type { MemberTape } from '../../src/markets/composite/member-tape.ts';
import type { LeadTerm } from '../../src/tape/shared/shared-tape-options.ts';
import type { IntakeBatch } from '../../src/tape/write/intake.ts';
import type { OpenTape } from '../../src/tape/write/open-tape.ts';
import type { TapeNote } from '../../src/tape/write/tape-note.ts';
import { FeedCluster, type Machine } from '../live/feed-cluster.ts';
import { tapeRows } from '../tape/tape-on-sim-disk.ts';
import {
  contractOf,
  LISTED_FIRST,
  MEMBERS,
  type Member,
  memberBatches,
  memberTape,
  openMember,
  type Row,
  rowOf,
} from './composite-run.ts';

const TRADES_EVERY_MS = 100;
const PER_SECOND = 10;
const GAP_SHARE = 0.01;
const LAGS_MS: readonly number[] = [0, 300, 4_000, 20_000];
const SETTLED_MS_MAX = 200_000;
export const COMPOSITES = Object.keys(LISTED_FIRST);

interface MemberOffer {
  readonly atMs: number;
  readonly batches: readonly IntakeBatch[];
  readonly promise: EpochNs;
  readonly notes: readonly TapeNote[];
}

/** The copies of one process. */
class Copies {
  readonly tapes = new Map<string, MemberTape>();
  readonly #lagOf: (member: Member) => number;
  readonly #open = new Map<Member, OpenTape>();
  readonly #applied = new Map<Member, number>();
  #busy: Promise<void>;

  constructor(lagOf: (member: Member) => number) {
    this.#lagOf = lagOf;
    this.#busy = this.#begin();
  }

  /** Takes what has arrived until then. */
  take(all: ReadonlyMap<Member, readonly MemberOffer[]>, nowMs: number): void {
    this.#busy = this.#busy.then(async () => {
      for (const [member, offers] of all) {
        let next = this.#applied.get(member) ?? 0;
        for (
          ;
          next < offers.length && offers[next]!.atMs + this.#lagOf(member) <= nowMs;
          next += 1
        ) {
          const { batches, promise, notes } = offers[next]!;
          await this.#open.get(member)!.intake.offer(batches, promise, notes);
        }
        this.#applied.set(member, next);
      }
    });
  }

  async rows(symbol: string): Promise<readonly Row[]> {
    await this.#busy;
    const { tape } = this.#open.get(contractOf(symbol).contract.dataset as Member)!;
    return (await tapeRows(tape, symbol)).map((row) => rowOf(symbol, row));
  }

  async close(): Promise<void> {
    await this.#busy;
    for (const tape of this.#open.values()) await tape[Symbol.asyncDispose]();
  }

  async #begin(): Promise<void> {
    for (const member of MEMBERS) {
      const disk = new SimDisk().boot();
      const tape = await openMember(disk, member);
      this.#open.set(member, tape);
      this.tapes.set(member, memberTape(disk, member, tape));
    }
  }
}

export class CompositeCluster {
  readonly #random: () => number;
  readonly #leaveOutAfterMs: number;
  readonly #lagsDiffer: boolean;
  readonly #offers = new Map<Member, MemberOffer[]>(MEMBERS.map((member) => [member, []]));
  readonly #lastIds = new Map<string, number>();
  readonly #copies = new Map<string, Copies>();
  /** Without a lag. */
  readonly #truth = new Copies(() => 0);
  readonly cluster: FeedCluster<CompositeSource>;

  private constructor(seed: number, leaveOutAfterMs: number, lagsDiffer: boolean) {
    this.#lagsDiffer = lagsDiffer;
    this.#random = seededRandom(seed);
    this.#leaveOutAfterMs = leaveOutAfterMs;
    this.cluster = new FeedCluster<CompositeSource>(
      seed,
      (machine, term) => this.#source(machine, term),
      () => this.#step(),
      COMPOSITES,
    );
  }

  /** `lagsDiffer`: a machine's copies of different members lag differently. */
  static async begun(
    seed: number,
    leaveOutAfterMs: number,
    lagsDiffer = false,
  ): Promise<CompositeCluster> {
    const run = new CompositeCluster(seed, leaveOutAfterMs, lagsDiffer);
    await run.cluster.begin();
    await run.#until(
      'the composite has begun',
      () => (run.cluster.promise ?? 0n) > run.cluster.start,
    );
    return run;
  }

  /** The composite has all that was traded until now. */
  async settle(): Promise<EpochNs> {
    const { now } = this.cluster;
    await this.#until('the composite has all', () => (this.cluster.promise ?? 0n) > now);
    await this.cluster.pass(1_000);
    return this.cluster.promise!;
  }

  /** On all members' tapes. */
  async memberRows(symbols: readonly string[]): Promise<readonly Row[]> {
    return (await Promise.all(symbols.map((symbol) => this.#truth.rows(symbol)))).flat();
  }

  /** The gaps of all members. */
  get memberGaps() {
    return [...this.#offers.values()]
      .flat()
      .flatMap(({ notes }) => notes.flatMap((note) => (note.kind === 'gap' ? [note.gap] : [])));
  }

  async rows(symbol: string): Promise<readonly Row[]> {
    return (await this.cluster.rows(symbol)).map((row) => rowOf(symbol, row));
  }

  async stop(): Promise<void> {
    await this.cluster.stop();
    for (const copies of [this.#truth, ...this.#copies.values()]) await copies.close();
  }

  async #until(what: string, isSo: () => boolean): Promise<void> {
    const until = this.cluster.nowMs + SETTLED_MS_MAX;
    while (!isSo()) {
      assert.ok(this.cluster.nowMs < until, `never: ${what}`);
      await this.cluster.pass(100);
    }
  }

  #step(): void {
    const { nowMs } = this.cluster;
    if (nowMs % TRADES_EVERY_MS === 0) for (const member of MEMBERS) this.#trade(member);
    for (const copies of [this.#truth, ...this.#copies.values()]) copies.take(this.#offers, nowMs);
  }

  #trade(member: Member): void {
    const offers = this.#offers.get(member)!;
    const to = this.cluster.now;
    const from = offers.at(-1)?.promise ?? this.cluster.start;
    const span = { from, to, perSecond: PER_SECOND };
    const batches = memberBatches(this.#random, this.#lastIds, member, span);
    const symbol = `BTC.${member.toLowerCase()}`;
    const gap = { symbol, from, to, firstId: null, lastId: null, reason: 'lost' };
    const notes = this.#random() < GAP_SHARE ? [{ kind: 'gap' as const, gap }] : [];
    offers.push({ atMs: this.cluster.nowMs, batches, promise: to, notes });
  }

  #lag(): number {
    return LAGS_MS[Math.floor(this.#random() * LAGS_MS.length)]!;
  }

  #source({ process, clock }: Machine, { intake }: LeadTerm): CompositeSource {
    const copies = this.#copies.getOrInsertComputed(process, () => {
      const lags = new Map(MEMBERS.map((member) => [member, this.#lag()]));
      return new Copies((member) => lags.get(this.#lagsDiffer ? member : 'BIN')!);
    });
    return new CompositeSource({
      intake,
      clock,
      monotonicNs: () => clock.now(),
      hoursOf: () => null,
      memberHours: () => null,
      leaveOutAfterMs: this.#leaveOutAfterMs,
      listed: () => COMPOSITES.map((symbol) => contractOf(symbol)),
      tapes: copies.tapes,
      rowsMax: 5,
    });
  }
}
