/**
 * The calls of one compute thread. Open reads compute on request, in turns between accounts; closing a read gives up
 * its turn at once and stops its work within a turn. A failure is reported to the operator with its cause and to the
 * caller without it. A call about a part of the tape that this thread does not have yet waits for it, a few seconds at
 * most.
 */

import type { EpochNs } from '@tapeloom/core/numbers';
import type { Clock } from '../platform/clock.ts';
import { Refusal, type RefusalReason, reasonOf } from '../platform/refusal.ts';
import type { DeskOptions } from '../platform/threads/thread-desk.ts';
import type {
  DaysPage,
  DaysRead,
  SettledDays,
  SettledDaysRequest,
} from '../results/settled-days.ts';
import { tapeNeeded } from '../runs/cover.ts';
import type { Replay, ReplayRequest, Replays } from '../runs/replay.ts';
import type { SessionTables } from '../runs/session-tables.ts';
import type { DamagedDays } from '../runs/sound-tape.ts';
import type { Turns } from '../runs/turns.ts';
import type { LiveTape } from '../tape/tape.ts';
import { TapeDamagedError } from '../tape/tape-errors.ts';
import type { ComputeFault, ComputeRequest, ComputeShape, ContractDay } from './compute-wire.ts';

/** The longest wait for the tape. */
const TAPE_AWAITED_MS_MAX = 5_000;

export interface ComputeDeskOptions {
  readonly tape: Pick<LiveTape, 'promiseOf' | 'follow'>;
  readonly days: SettledDays & {
    readonly damaged: Pick<DamagedDays, 'add' | 'forget'>;
  };
  /** An import changed days of a dataset; left out where there are no imports. */
  readonly refresh?: (dataset: string, days: readonly ContractDay[]) => Promise<void>;
  /** They take turns themselves: a replay at the tape's end waits without one. */
  readonly replays: Replays;
  readonly turns: Turns;
  readonly timers: Pick<Clock, 'after'>;
  readonly tables: Pick<SessionTables, 'replace'>;
  readonly tell: (fault: ComputeFault) => void;
}

/** A read from the moment it is requested; it may be closed before it is open. */
type Held =
  | {
      readonly t: 'days';
      readonly request: SettledDaysRequest;
      readonly opening: Promise<DaysRead>;
    }
  | { readonly t: 'replay'; readonly request: ReplayRequest; readonly opening: Promise<Replay> };

export class ComputeDesk implements DeskOptions<ComputeShape> {
  readonly movesMemory = true;
  readonly calls: DeskOptions<ComputeShape>['calls'] = {
    locate: (...of) => this.#options.replays.locate(...of),
    cover: async (asked, visible) => {
      await this.#tapeAt(asked.contract, tapeNeeded(asked, visible));
      return await this.#options.days.cover(asked, visible);
    },
    daysOf: (contracts) => this.#options.days.daysOf(contracts),
    daysVersions: (contracts) => this.#options.days.daysVersions(contracts),
    openDays: async (read, request) => {
      const opening = this.#tapeAt(request.contract, request.until).then(() =>
        this.#options.days.read(request),
      );
      await this.#hold(read, { t: 'days', request, opening });
      const { inputs = '' } = await opening;
      return {
        inputs,
        kept: await this.#pulled(read, async (days) => (await days.kept?.()) ?? null),
      };
    },
    openReplay: async (read, request) => {
      const opening = this.#options.replays.open(request);
      await this.#hold(read, { t: 'replay', request, opening });
    },
    nextDay: (read) => this.#pulled(read, (days) => days.next()),
    nextPage: (read, until) => this.#nextPage(read, until),
    // Reads opened after the response see the newest import; reads opened before keep their days.
    refresh: async (dataset, days) => {
      await this.#options.refresh?.(dataset, days);
    },
  };
  readonly #options: ComputeDeskOptions;
  readonly #held = new Map<number, Held>();
  #growth = Promise.withResolvers<void>();

  constructor(options: ComputeDeskOptions) {
    this.#options = options;
    options.tape.follow(() => {
      this.#growth.resolve();
      this.#growth = Promise.withResolvers();
    });
  }

  obey(order: ComputeShape['orders']): void {
    switch (order.t) {
      case 'close':
        void this.#close(order.read);
        return;
      case 'sessions':
        this.#options.tables.replace(order.sessions);
        return;
      case 'damaged':
        if (order.isDamaged) this.#options.days.damaged.add(order.contract, order.day);
        else this.#options.days.damaged.forget(order.contract, order.day);
        return;
      default:
        throw new RangeError(`no such order: ${JSON.stringify(order satisfies never)}`);
    }
  }

  refusalOf(thrown: unknown): RefusalReason {
    if (thrown instanceof FailedRequest) return this.#tellFault(thrown.cause, thrown.request);
    return this.#tellFault(thrown, null);
  }

  #tellFault(error: unknown, request: ComputeRequest | null): RefusalReason {
    const why = reasonOf(error);
    // The operator must learn of damage to the tape, whatever it means to the caller.
    const isDamage = error instanceof Error && error.cause instanceof TapeDamagedError;
    const isFault = why.t === 'failed' || why.t === 'day-damaged' || why.t === 'behind';
    if (isFault || isDamage) this.#options.tell({ t: 'fault', error, why, request });
    return why;
  }

  async #close(read: number): Promise<void> {
    const held = this.#held.get(read);
    this.#held.delete(read);
    try {
      await (await held?.opening)?.[Symbol.asyncDispose]();
    } catch (error) {
      this.#tellFault(error, held!.request);
    }
  }

  async #hold(read: number, held: Held): Promise<void> {
    this.#held.set(read, held);
    try {
      await held.opening;
    } catch (error) {
      this.#held.delete(read);
      throw new FailedRequest(held.request, error);
    }
  }

  async #pulled(read: number, pull: (days: DaysRead) => Promise<DaysPage | null>) {
    const held = this.#held.get(read);
    if (held?.t !== 'days') throw new Refusal({ t: 'closed' });
    try {
      const opened = await held.opening;
      return await this.#options.turns.within(held.request.account, async () => {
        // The read may have been closed while it waited for its turn.
        if (!this.#held.has(read)) throw new Refusal({ t: 'closed' });
        return await pull(opened);
      });
    } catch (error) {
      throw new FailedRequest(held.request, error);
    }
  }

  async #nextPage(read: number, until: EpochNs | null) {
    const held = this.#held.get(read);
    if (held?.t !== 'replay') throw new Refusal({ t: 'closed' });
    try {
      return await (await held.opening).next(until ?? undefined);
    } catch (error) {
      throw new FailedRequest(held.request, error);
    }
  }

  /** Resolves when everything of a contract before `instant` is on this thread's tape. */
  async #tapeAt(contract: string, instant: EpochNs): Promise<void> {
    const { tape, timers } = this.#options;
    const isThere = () => (tape.promiseOf(contract) ?? -1n) >= instant;
    if (isThere()) return;
    const late = Promise.withResolvers<'late'>();
    using _ = timers.after(TAPE_AWAITED_MS_MAX, () => late.resolve('late'));
    while (!isThere()) {
      const outcome = await Promise.race([this.#growth.promise, late.promise]);
      if (outcome === 'late') throw new Refusal({ t: 'behind' });
    }
  }
}

/** Why a call failed, with its request: the read may have been closed meanwhile. */
class FailedRequest extends Error {
  readonly request: ComputeRequest;

  constructor(request: ComputeRequest, cause: unknown) {
    super('a request failed', { cause });
    this.request = request;
  }
}
