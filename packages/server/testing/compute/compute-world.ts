/** A compute pool over simulated threads: each works slice by slice, and dies on command. */

import { setImmediate as settle } from 'node:timers/promises';
import type { Cursor } from '@tapeloom/core/cursor';
import type { EpochNs, Rank } from '@tapeloom/core/numbers';
import { epochNs, utcDay } from '@tapeloom/core/utc-day';
import { ManualClock } from '../../../../simulation/clock/manual-clock.ts';
import { ComputeDesk } from '../../src/compute/compute-desk.ts';
import { type ComputeLimits, ComputePool } from '../../src/compute/compute-pool.ts';
import type { ComputeShape } from '../../src/compute/compute-wire.ts';
import { FairTurns } from '../../src/compute/fair-turns.ts';
import { Refusal } from '../../src/platform/refusal.ts';
import type { DaysPage, SettledDays, SettledDaysRequest } from '../../src/results/settled-days.ts';
import type { ReplayPage, Replays } from '../../src/runs/replay.ts';
import { LoopbackPort } from '../platform/loopback-port.ts';

export const DAY = utcDay(20261112);
const REPLAY_PAGE: ReplayPage = {
  blocks: [],
  position: '20261112.1.0',
  chargedTrades: 0,
  isLast: false,
};

export class ComputeWorld implements AsyncDisposable {
  readonly threads: FakeThread[] = [];
  readonly damaged: string[] = [];
  /** Where reads were resumed. */
  readonly opened: (Cursor | null)[] = [];
  inputs = '';
  /** Whether the first page of a read is cached. */
  isKept = false;
  readonly faults: string[] = [];
  /** Each thread awaits this before it reads a newer import. */
  manifest: Promise<void> = Promise.resolve();
  /** The reads that were worked on, slice by slice. */
  readonly worked: string[] = [];
  slices = 3;
  ms = 0;
  readonly clock = new ManualClock(0n);
  readonly pool: ComputePool;

  constructor(threads: number, limits: Partial<ComputeLimits> = {}) {
    this.pool = new ComputePool({
      threads,
      timers: this.clock,
      startThread: () => {
        const thread = new FakeThread(this, this.threads.length + 1);
        this.threads.push(thread);
        return thread;
      },
      onFault: (error, request) =>
        this.faults.push(`${(error as Error).message} ${request?.contract ?? '-'}`),
      limits,
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.pool[Symbol.asyncDispose]();
  }
}

/** A simulated compute thread: work takes event loop turns. */
class FakeThread extends LoopbackPort<ComputeShape> {
  readonly turns = new FairTurns({ now: () => this.world.ms++, rest: () => settle() });
  readonly closed: string[] = [];
  imports = 0;
  readonly world: ComputeWorld;
  readonly name: number;

  constructor(world: ComputeWorld, name: number) {
    super();
    this.world = world;
    this.name = name;
    const desk = new ComputeDesk({
      tape: { promiseOf: () => 1_000n as EpochNs, follow: () => ({ [Symbol.dispose]() {} }) },
      days: this.#days(),
      replays: {
        locate: async () => ({ t: 'beyond' }),
        open: async () => {
          const position = `20261112.${this.imports + 1}.0`;
          return {
            next: async () => ({ ...REPLAY_PAGE, position }),
            [Symbol.asyncDispose]: async () => {},
          };
        },
      } satisfies Replays,
      turns: this.turns,
      timers: world.clock,
      tables: { replace: () => {} },
      refresh: async () => {
        await world.manifest;
        this.imports += 1;
      },
      tell: (fault) => this.desk.tell(fault),
    });
    this.desk.open(desk);
  }

  die(): void {
    this.fail(new Error('out of memory'));
  }

  #days(): SettledDays & { damaged: { add(contract: string): void; forget(): void } } {
    return {
      damaged: {
        add: (contract) => this.world.damaged.push(`${this.name} ${contract}`),
        forget: () => {},
      },
      daysOf: async (contracts) => contracts.map(() => []),
      daysVersions: async ([contract]) =>
        contract === 'uncrossable' ? (Symbol() as never) : [`${this.imports}`],
      cover: async () => ({ t: 'ahead', cursor: 'cursor' }),
      read: async (request) => this.#read(request),
    };
  }

  #read({ account, contract, after = null }: SettledDaysRequest) {
    this.world.opened.push(after);
    if (contract === 'missing') throw new Refusal({ t: 'days-missing', contract, days: [DAY] });
    let isClosed = false;
    const page = (k: number): DaysPage => {
      const counts = { rank: this.name, skipped: 0, updates: 0 };
      const rest = { isDayOver: false, isWarm: true, blocks: [], tail: null };
      const parts = [{ day: DAY, ...counts, ...rest }];
      const position = { day: DAY, rank: this.name as Rank, k };
      return { parts, frames: new Uint8Array(0), position, isLast: false };
    };
    return {
      inputs: `${this.world.inputs}${this.imports}`,
      kept: async () => (this.world.isKept ? page(9) : null),
      next: async (): Promise<DaysPage | null> => {
        if (contract === 'damaged')
          throw new Refusal({ t: 'day-damaged', contract, day: DAY }, new Error('a bit'));
        if (contract === 'broken') throw new Error('a secret of the house');
        for (let slice = 0; slice < this.world.slices; slice += 1) {
          if (isClosed && contract === 'unclosable') throw new Error('a file is gone');
          if (isClosed) throw new Refusal({ t: 'closed' });
          this.world.worked.push(account);
          await this.turns.yieldTurn();
        }
        return page(1);
      },
      [Symbol.asyncDispose]: async () => {
        isClosed = true;
        this.closed.push(account);
      },
    };
  }
}

export function request(account: string, contract = 'ESZ6'): SettledDaysRequest {
  return {
    account,
    contract,
    indicator: 'bars',
    params: {},
    from: epochNs(DAY, 0),
    until: 1_000n as EpochNs,
    hasTail: false,
    form: 'blocks',
  };
}

export function pageThread(page: DaysPage | null): number {
  return page!.parts[0]!.rank;
}
