/**
 * Three machines with one shared tape, of which the leader runs a live source. Machines die, sleep and are cut off; time
 * is virtual.
 */

import assert from 'node:assert/strict';
import type { EpochNs } from '@tapeloom/core/numbers';
import { MS_NS_BIG } from '@tapeloom/core/units';
import fc from 'fast-check';
import { PLAIN } from '../../../../simulation/stream-storage/memory-stream.ts';
import type { TradeSource } from '../../src/markets/market.ts';
import type { Clock } from '../../src/platform/clock.ts';
import type { LeadTerm } from '../../src/tape/shared/shared-tape-options.ts';
import type { TapeGap } from '../../src/tape/tape-gap.ts';
import { SCRIPT_SYMBOLS } from '../tape/feed-script.ts';
import { SharedWorld } from '../tape/shared-nodes.ts';
import { type TapeRow, tapeRows } from '../tape/tape-on-sim-disk.ts';
import { START_MS } from './feed-run.ts';

const STEP_MS = 10;
const START_NS = (BigInt(START_MS) * MS_NS_BIG) as EpochNs;

/** What happens to a machine; -1: to the one that leads. */
export interface MachineFault {
  readonly machine: number;
  readonly kind: 'kill' | 'power' | 'torn' | 'pause' | 'cut' | 'unanswered';
  readonly waitMs: number;
  readonly forMs: number;
}

export const machineFault: fc.Arbitrary<MachineFault> = fc.record({
  machine: fc.constantFrom(-1, -1, -1, 0, 1, 2),
  kind: fc.constantFrom('kill', 'power', 'torn', 'pause', 'cut', 'unanswered'),
  waitMs: fc.constantFrom(0, 700, 5_000),
  forMs: fc.constantFrom(300, 4_000, 25_000),
});

type MachineState = 'runs' | 'sleeps' | 'dead';

/** A machine, as its source sees it. */
export interface Machine {
  /** Its name and the number of its present process. */
  readonly process: string;
  readonly clock: Clock;
  /** Runs now, or when the machine wakes up; never, if its process has ended. */
  run(what: () => void): void;
}

export class FeedCluster<Source extends TradeSource> {
  readonly world: SharedWorld;
  /** Every gap that was durable on a leader, as last seen. */
  readonly gaps = new Map<string, TapeGap>();
  readonly #begin: (machine: Machine, term: LeadTerm) => Source;
  readonly #onStep: (cluster: FeedCluster<Source>) => void;
  readonly #members: Member<Source>[];

  constructor(
    seed: number,
    begin: (machine: Machine, term: LeadTerm) => Source,
    onStep: (cluster: FeedCluster<Source>) => void,
    listed?: readonly string[],
  ) {
    this.#begin = begin;
    this.#onStep = onStep;
    this.world = new SharedWorld(seed, { batchRowsMax: 1, offersPerDay: 1 }, 0);
    this.#members = ['a', 'b', 'c'].map((name) => this.#member(name, listed));
  }

  get start(): EpochNs {
    return START_NS;
  }

  get now(): EpochNs {
    return (START_NS + this.world.time.now()) as EpochNs;
  }

  get nowMs(): number {
    return START_MS + this.world.time.ms;
  }

  /** The watermark of the one that leads. */
  get promise(): EpochNs | null {
    return this.#members.find(({ source }) => source !== null)?.intake?.promise ?? null;
  }

  /** Sources that run, or believe to. */
  get sources(): readonly Source[] {
    return this.#members.flatMap(({ source, state }) =>
      source !== null && state === 'runs' ? [source] : [],
    );
  }

  async begin(): Promise<void> {
    for (const { node } of this.#members) await node.start();
  }

  async pass(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += STEP_MS) {
      await this.world.time.pass(STEP_MS, STEP_MS);
      this.#onStep(this);
      this.#look();
    }
  }

  async suffer({ machine, kind, waitMs, forMs }: MachineFault): Promise<void> {
    await this.pass(waitMs);
    const leading = this.#members.find(({ node }) => node.isLeading);
    const member = this.#members[machine] ?? leading ?? this.#members[0]!;
    const { node } = member;
    if (kind === 'pause') {
      node.pause();
      member.state = 'sleeps';
    } else if (kind === 'cut') node.stream.line.isCut = true;
    else if (kind === 'unanswered') {
      node.stream.line.plan = () => ({ ...PLAIN, isAnswered: this.world.random() < 0.3 });
    } else {
      member.end();
      node.kill(kind);
    }
    await this.pass(forMs);
    if (member.state === 'dead') {
      member.state = 'runs';
      await node.start();
      return;
    }
    node.stream.line.plan = () => PLAIN;
    if (kind === 'cut') node.stream.heal(this.world.random() < 0.5);
    if (kind === 'pause') {
      node.goOn();
      member.wake();
    }
  }

  /** All machines have everything; the rows of a contract, which are the same on each. */
  async rows(symbol: string): Promise<readonly TapeRow[]> {
    const nodes = this.#members.map(({ node }) => node);
    await this.world.until('all machines have all of it', () =>
      nodes.every(({ tape }) => tape?.report.sequence === this.world.keeper.last),
    );
    for (const { down, name } of nodes) assert.equal(down, null, `${name} is down: ${down}`);
    const all = await Promise.all(nodes.map(({ tape }) => tapeRows(tape!.tape, symbol)));
    for (const rows of all) assert.deepEqual(rows, all[0]);
    return all[0]!;
  }

  async stop(): Promise<void> {
    for (const { node } of this.#members) await node.stop();
  }

  #look(): void {
    for (const { intake, source } of this.#members) {
      // A machine that leads no more has old ones.
      if (intake === null || source === null) continue;
      for (const gap of intake.gaps) this.gaps.set(`${gap.symbol} ${gap.from}`, gap);
    }
  }

  #member(name: string, listed: readonly string[] = SCRIPT_SYMBOLS): Member<Source> {
    const member: Member<Source> = new Member(
      this.world.node(name, true, {
        listed,
        opened: (_tape, { clock }) => {
          member.clock = { ...shifted(clock), now: () => this.now };
        },
        lead: async (term) => {
          const source = this.#begin(member.machine(), term);
          member.source = source;
          member.intake = term.intake;
          try {
            await source.run(term.signal);
          } finally {
            if (member.source === source) member.source = null;
          }
        },
      }),
    );
    return member;
  }
}

class Member<Source> {
  readonly node: ReturnType<SharedWorld['node']>;
  clock!: Clock;
  source: Source | null = null;
  intake: LeadTerm['intake'] | null = null;
  state: MachineState = 'runs';
  /** Of the present process. */
  #waiting: (() => void)[] = [];
  #process = 0;

  constructor(node: ReturnType<SharedWorld['node']>) {
    this.node = node;
  }

  machine(): Machine {
    const process = this.#process;
    return {
      process: `${this.node.name} ${process}`,
      clock: this.clock,
      run: (what) => {
        if (process !== this.#process) return;
        if (this.state === 'sleeps') this.#waiting.push(what);
        else what();
      },
    };
  }

  wake(): void {
    this.state = 'runs';
    for (const what of this.#waiting.splice(0)) what();
  }

  end(): void {
    this.#process += 1;
    this.#waiting = [];
    this.source = null;
    this.intake = null;
    this.state = 'dead';
  }
}

function shifted(clock: Clock): Omit<Clock, 'now'> {
  return {
    after: (ms, run) => clock.after(ms, run),
    every: (ms, run) => clock.every(ms, run),
  };
}
