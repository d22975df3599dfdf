/**
 * A compute thread's side of the wire: runs the reads that were opened here, by pull, in turns between
 * accounts. Every call is answered exactly once. Closing a read takes effect at once for its turn and
 * within a turn for its work. What fails is told twice: to the operator with its cause, to who asked
 * without it.
 *
 * Nothing is answered about a part of the tape that this thread does not know yet: a call for it waits,
 * for a few seconds at most.
 */

import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import type { Clock } from '../platform/clock.ts';
import { Refusal, type RefusalReason, reasonOf } from '../platform/refusal.ts';
import type { DaysRead, SettledDays } from '../results/settled-days.ts';
import type { Replay, Replays } from '../runs/replay.ts';
import type { Turns } from '../runs/turns.ts';
import type { LiveTape } from '../tape/tape.ts';
import { TapeDamagedError } from '../tape/tape-errors.ts';
import { movesOf } from './compute-move.ts';
import type {
  ComputeAnswer,
  ComputeCall,
  ComputeRequest,
  FromComputeThread,
} from './compute-wire.ts';

/** How long the tape is waited for. */
const TAPE_AWAITED_MS_MAX = 5_000;

export interface ComputeDeskOptions {
  readonly tape: Pick<LiveTape, 'promise' | 'follow'>;
  readonly days: SettledDays & {
    readonly damaged: { add(contract: string, day: UtcDay): void };
  };
  /** Take their own turns: a replay at the tape's end waits without one. */
  readonly replays: Replays;
  readonly turns: Turns;
  readonly timers: Pick<Clock, 'after'>;
  readonly send: (message: FromComputeThread, moves: readonly ArrayBuffer[]) => void;
}

/** A read from the moment it is asked for; it may be closed before it is open. */
type Held =
  | {
      readonly t: 'days';
      readonly request: ComputeRequest;
      readonly account: string;
      readonly opening: Promise<DaysRead>;
    }
  | { readonly t: 'replay'; readonly request: ComputeRequest; readonly opening: Promise<Replay> };

export class ComputeDesk implements Disposable {
  readonly #options: ComputeDeskOptions;
  readonly #held = new Map<number, Held>();
  readonly #following: Disposable;
  #growth = Promise.withResolvers<void>();
  #callCount = 0;

  constructor(options: ComputeDeskOptions) {
    this.#options = options;
    this.#following = options.tape.follow(() => {
      this.#growth.resolve();
      this.#growth = Promise.withResolvers();
    });
  }

  /** Calls that are not answered. */
  get callCount(): number {
    return this.#callCount;
  }

  async call(message: ComputeCall): Promise<void> {
    const { call } = message;
    const request = this.#requestOf(message);
    this.#callCount += 1;
    try {
      const answer = await this.#answer(message);
      this.#options.send({ t: 'answer', call, answer }, movesOf(answer));
    } catch (error) {
      const why = reasonOf(error);
      // Damage of the tape is for the operator, whatever it means to who asked.
      const isDamage = error instanceof Error && error.cause instanceof TapeDamagedError;
      if (isFault(why) || isDamage) this.#options.send({ t: 'fault', error, request }, []);
      this.#options.send({ t: 'refused', call, why }, []);
    } finally {
      this.#callCount -= 1;
    }
  }

  async close(read: number): Promise<void> {
    const held = this.#held.get(read);
    this.#held.delete(read);
    try {
      await (await held?.opening)?.[Symbol.asyncDispose]();
    } catch (error) {
      // Who asked was told when it could not be opened.
      const isTold = !isFault(reasonOf(error));
      if (!isTold) this.#options.send({ t: 'fault', error, request: held!.request }, []);
    }
  }

  /** Another thread found it out. */
  noteDamaged(contract: string, day: UtcDay): void {
    this.#options.days.damaged.add(contract, day);
  }

  [Symbol.dispose](): void {
    this.#following[Symbol.dispose]();
  }

  async #answer(message: ComputeCall): Promise<ComputeAnswer> {
    const { days, replays } = this.#options;
    switch (message.name) {
      case 'locate': {
        const { contract, cursor, seenUntil } = message.of;
        return await replays.locate(contract, cursor, seenUntil);
      }
      case 'coverage': {
        const { contract, from, to, study } = message.of;
        await this.#tapeAt(to);
        return await days.coverage(contract, from, to, study);
      }
      case 'tradesAfter': {
        const { contract, after, to } = message.of;
        await this.#tapeAt(to);
        return await days.tradesAfter(contract, after, to);
      }
      case 'openDays':
        return await this.#openDays(message.of);
      case 'openReplay':
        return await this.#openReplay(message.of);
      case 'nextDay':
        return await this.#nextDay(message.of.read);
      case 'nextPage':
        return await this.#nextPage(message.of.read, message.of.until);
      default:
        throw new RangeError(`no such call: ${JSON.stringify(message satisfies never)}`);
    }
  }

  async #openDays({ read, request }: Extract<ComputeCall, { name: 'openDays' }>['of']) {
    const opening = this.#tapeAt(request.until).then(() => this.#options.days.read(request));
    const { account } = request;
    return await this.#hold(read, { t: 'days', request, account, opening });
  }

  async #openReplay({ read, request }: Extract<ComputeCall, { name: 'openReplay' }>['of']) {
    const opening = this.#options.replays.open(request);
    return await this.#hold(read, { t: 'replay', request, opening });
  }

  async #hold(read: number, held: Held): Promise<string> {
    this.#held.set(read, held);
    try {
      const opened: Pick<DaysRead, 'inputs'> | Replay = await held.opening;
      return 'inputs' in opened ? (opened.inputs ?? '') : '';
    } catch (error) {
      this.#held.delete(read);
      throw error;
    }
  }

  async #nextDay(read: number) {
    const held = this.#held.get(read);
    if (held?.t !== 'days') throw new Refusal({ t: 'closed' });
    const opened = await held.opening;
    return await this.#options.turns.within(held.account, async () => {
      // It may have been closed while it waited for its turn.
      if (!this.#held.has(read)) throw new Refusal({ t: 'closed' });
      return await opened.next();
    });
  }

  async #nextPage(read: number, until: EpochNs | null) {
    const held = this.#held.get(read);
    if (held?.t !== 'replay') throw new Refusal({ t: 'closed' });
    return await (await held.opening).next(until ?? undefined);
  }

  #requestOf(message: ComputeCall): ComputeRequest | null {
    switch (message.name) {
      case 'openDays':
      case 'openReplay':
        return message.of.request;
      case 'nextDay':
      case 'nextPage':
        return this.#held.get(message.of.read)?.request ?? null;
      default:
        return null;
    }
  }

  /** Resolves when everything before `instant` is on this thread's tape. */
  async #tapeAt(instant: EpochNs): Promise<void> {
    const { tape, timers } = this.#options;
    const isThere = () => tape.promise !== null && tape.promise >= instant;
    if (isThere()) return;
    const late = Promise.withResolvers<'late'>();
    using _ = timers.after(TAPE_AWAITED_MS_MAX, () => late.resolve('late'));
    while (!isThere()) {
      const outcome = await Promise.race([this.#growth.promise, late.promise]);
      if (outcome === 'late') throw new Refusal({ t: 'behind' });
    }
  }
}

/** Whether the operator must know. */
function isFault({ t }: RefusalReason): boolean {
  return t === 'failed' || t === 'day-damaged' || t === 'behind';
}
