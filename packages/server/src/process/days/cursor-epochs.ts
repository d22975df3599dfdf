/**
 * Which cursors of streams are worth nothing any more, composed: the floors that the record of epochs keeps, and
 * the repairs of the tape that raise them. Known before a door opens.
 */

import type { Cursor } from '@tapeloom/core/cursor';
import type { UtcDay } from '@tapeloom/core/numbers';
import { INDICATORS, indicatorNamed } from '@tapeloom/core/studies/catalogue';
import { computationOf } from '@tapeloom/core/studies/computation';
import { addDays } from '@tapeloom/core/utc-day';
import type { ResetReason } from '@tapeloom/protocol/server-messages';
import type { Clock } from '../../platform/clock.ts';
import type { Disk } from '../../platform/disk/disk.ts';
import { NodeDisk } from '../../platform/disk/node-disk.ts';
import { PatientDisk } from '../../platform/disk/patient-disk.ts';
import type { Log } from '../../platform/log/log.ts';
import { createClock } from '../../platform/system-clock.ts';
import { Patience } from '../../platform/waiting/patience.ts';
import type { Replays } from '../../runs/replay.ts';
import type { ChangedDays } from '../../tape/imported/changed-days.ts';
import { givenUpIndicators } from '../../topics/agreed-computations.ts';
import { isComing, unsettledDays } from '../../topics/days-to-come.ts';
import type { TopicSpec } from '../../topics/engine-link.ts';
import {
  brokenBy,
  changedIndicators,
  parseEpochs,
  type StreamEpochs,
} from '../../topics/epoch-floors.ts';
import { EpochStore } from '../../topics/epoch-store.ts';
import type { TopicHub } from '../../topics/topic-hub.ts';
import type { NewestDays } from '../ingest/ingest-wire.ts';
import { tapeEnds } from './tape-ends.ts';
import { dayMatters, type StreamSessions, TapeRepairs } from './tape-repairs.ts';
import type { TradingWorld } from './trading-world.ts';

const OWN_COMPUTATIONS = Object.fromEntries(INDICATORS.map((it) => [it.id, computationOf(it)]));

/**
 * Who was given up by the others while it ran, and was heard of again, waits so long with what it computes differently: a node
 * that has not looked at the register by then takes nothing new (`node-register.ts`). Who starts was seen by all before.
 */
const HEARD_AGAIN_MS = 11_000;

const OTHER_VERSION = 'The version of this indicator is changing. Subscribe again.';
const DAYS_TO_COME =
  'This server is still fetching past days that the stream needs. Subscribe again.';

export interface CursorEpochsOptions {
  /** Where the record lies. */
  readonly directory: string;
  readonly log: Pick<Log, 'info' | 'warn' | 'error'>;
  /** Unless told, the machine's, which is waited for. */
  readonly disk?: Disk;
  readonly world: Pick<TradingWorld, 'tradingSessions' | 'sessionsOf'>;
  readonly hub: Pick<TopicHub, 'repair' | 'hasServed' | 'refuse' | 'tapeDay'>;
  readonly timers: Pick<Clock, 'after'>;
  readonly replays: Pick<Replays, 'locate'>;
  /** When the engines know the tape. */
  readonly tapeKnown: Promise<void>;
  /** Resolves when history reads the newest import. */
  readonly pastRefreshed: () => Promise<void>;
  /** Whether nodes alive compute an indicator in different ways; left out where this process is alone. */
  readonly isDisputed?: (indicator: string) => boolean;
}

export class CursorEpochs {
  readonly #options: CursorEpochsOptions;
  readonly #repairs: TapeRepairs;
  readonly #opened = Promise.withResolvers<EpochStore>();
  /** Whether no cursor was issued before this process began. */
  #isFirstStart = false;
  /** Null until the doors open. */
  #store: EpochStore | null = null;
  /** What all nodes of a cluster know of floors. */
  #shared: StreamEpochs = { computations: {}, floors: [] };
  /** Indicators that others compute in another way, and no longer in this node's. */
  #givenUp: ReadonlySet<string> = new Set();
  #heardAgain: Disposable | null = null;
  /** Days that the other nodes have and compute with, and this one does not have. */
  #lacking: NewestDays = {};
  /** By contract, days that cannot be read here, and that other nodes may compute with. */
  readonly #damaged = new Map<string, Set<UtcDay>>();
  /** Contract and day: nothing was shown without these while they could not be read. */
  readonly #neverShownWithout = new Set<string>();
  /** Those that were never shown here: the book has not said yet that this node is there. */
  #unshown: ReadonlySet<string> | null = null;

  constructor(options: CursorEpochsOptions) {
    const { hub, log } = options;
    this.#options = options;
    this.#repairs = new TapeRepairs({
      // Whoever gets a reset finds the new days in history, too.
      computeAnew: async (contract) => {
        await options.pastRefreshed();
        return await hub.repair(contract);
      },
      epochs: options.tapeKnown.then(() => this.#opened.promise),
      isAgreed: (symbol, repaired) =>
        this.#neverShownWithout.has(`${symbol} ${repaired}`) ||
        unsettledDays(this.#shared, symbol).includes(repaired) ||
        this.#shared.floors.some(({ contract, day }) => contract === symbol && day === repaired),
      mayHaveCursors: (symbol) => !this.#isFirstStart || hub.hasServed(symbol),
      onFault: (error) => log.error({ error }, 'a repair of the tape could not be recorded'),
    });
  }

  /** With the day that the tape is at. */
  async open(day: UtcDay): Promise<void> {
    const { directory, log, world, replays } = this.#options;
    const contracts = Object.keys(world.tradingSessions.contracts);
    const store = await EpochStore.open({
      disk: this.#options.disk ?? patientDisk(log),
      directory,
      computations: OWN_COMPUTATIONS,
      tapeEnds: () => tapeEnds(replays, contracts, day),
    });
    const { start } = store;
    this.#isFirstStart = start.t === 'first';
    if (start.t === 'changed') {
      const { indicators } = start;
      log.info(
        { indicators },
        'indicators have a new version: their older cursors are no longer valid',
      );
    }
    if (start.t === 'unreadable')
      log.warn('the record of stream epochs was damaged: older cursors are no longer valid');
    this.#store = store;
    this.#opened.resolve(store);
  }

  /** Why a cursor of a stream is no longer good, if it is not. */
  resetOf(spec: TopicSpec, cursor: Cursor): ResetReason | null {
    const matters = (day: UtcDay) => dayMatters(this.#sessionsOf(spec), cursor, day);
    const days = [
      ...this.#repairs.underWay(spec.contract),
      ...unsettledDays(this.#shared, spec.contract),
      ...this.#lackingOf(spec.contract),
    ];
    if (days.some(matters)) return 'source_gap';
    if (this.#isDisputed(spec.indicator)) return 'engine_changed';
    const floors = [...(this.#store?.epochs.floors ?? []), ...this.#shared.floors];
    return brokenBy(floors, spec, cursor, matters);
  }

  /** What the nodes of a cluster agreed on, in words of the record of epochs. */
  noteShared(text: string): void {
    this.#shared = parseEpochs(text, Object.keys(OWN_COMPUTATIONS)) ?? this.#shared;
    const { log, timers } = this.#options;
    const before = this.#givenUp;
    const now = new Set(givenUpIndicators(OWN_COMPUTATIONS, this.#shared.computations));
    const unshown = this.#unshown ?? now;
    this.#unshown = unshown.intersection(now);
    this.#heardAgain?.[Symbol.dispose]();
    const waiting = before.difference(now).difference(unshown);
    this.#refuse(now.union(waiting));
    if (waiting.size > 0) {
      this.#heardAgain = timers.after(HEARD_AGAIN_MS, () => this.#refuse(now));
    }
    if (now.isSubsetOf(before)) return;
    const indicators = [...now];
    log.warn({ indicators }, 'the nodes have not agreed on these versions: they are not streamed');
  }

  /** By contract, the newest day that the other nodes have and this one lacks: what it matters to is not shown here. */
  noteLacking(newest: NewestDays): void {
    this.#lacking = newest;
    this.#refuse(this.#givenUp);
  }

  /**
   * A day that belongs on the tape cannot be read. Where other nodes have it, nothing that it matters to is shown here until it is
   * back. Alone, all that it matters to is computed anew without it.
   */
  noteDamaged(contract: string, day: UtcDay): void {
    if (this.#options.isDisputed === undefined) {
      this.#repairs.noteFilled(contract, day);
      return;
    }
    this.#damaged.getOrInsertComputed(contract, () => new Set()).add(day);
    this.#neverShownWithout.add(`${contract} ${day}`);
    this.#refuse(this.#givenUp);
  }

  /** It can be read again: all that it matters to is computed with it. */
  noteSound(contract: string, day: UtcDay): void {
    this.#damaged.get(contract)?.delete(day);
    this.#repairs.noteFilled(contract, day);
  }

  /** Whether all that is shown is computed with the days that are here. */
  get isComputed(): boolean {
    return this.#repairs.isComputed;
  }

  /** An engine has found that a day went from the tape, or came back to it. */
  noteChanged(contract: string, day: UtcDay): void {
    const { log } = this.#options;
    log.warn({ contract, day }, 'a day of the tape was removed or restored: it is computed again');
    this.noteFilled(contract, day);
  }

  /** A day was sealed that the tape had passed over. */
  noteFilled(symbol: string, day: UtcDay): void {
    this.#repairs.noteFilled(symbol, day);
  }

  /** An import has changed days: resolves to whether all that depended on them has ended, and is recorded. */
  async noteImported(days: ChangedDays): Promise<boolean> {
    for (const [contract, changed] of days) this.#repairs.noteImported(contract, changed);
    await this.#repairs.idle;
    return [...days.keys()].every((contract) => this.#repairs.underWay(contract).length === 0);
  }

  #refuse(indicators: ReadonlySet<string>): void {
    this.#givenUp = indicators;
    this.#options.hub.refuse((spec) => this.#refusalOf(spec));
  }

  /** Why nothing of a stream is shown here. */
  #refusalOf(spec: TopicSpec): string | null {
    if (this.#givenUp.has(spec.indicator)) return OTHER_VERSION;
    const lacking = this.#lackingOf(spec.contract);
    if (lacking.length === 0) return null;
    const today = this.#options.hub.tapeDay;
    if (today === null) return DAYS_TO_COME;
    // Who sees the tape with a delay may be on the day before.
    const sessions = this.#sessionsOf(spec);
    const matters = (day: UtcDay) =>
      [today, addDays(today, -1)].some((on) => dayMatters(sessions, { day: on }, day));
    return lacking.some(matters) ? DAYS_TO_COME : null;
  }

  /** Days that other nodes compute with, and this one not yet. */
  #lackingOf(contract: string): readonly UtcDay[] {
    // Alone, nobody computes with more than is here.
    if (this.#options.isDisputed === undefined) return [];
    const newest = this.#lacking[contract];
    const uncomputed = this.#repairs
      .uncomputed(contract)
      .filter((day) => !isComing(this.#shared, { symbol: contract, day }));
    const damaged = this.#damaged.get(contract) ?? [];
    return [...(newest === undefined ? [] : [newest]), ...damaged, ...uncomputed];
  }

  /** Nodes that compute it differently are there, or were until their cursors' end is known to all. */
  #isDisputed(indicator: string): boolean {
    if (this.#options.isDisputed?.(indicator) === true) return true;
    return changedIndicators(this.#shared.computations, OWN_COMPUTATIONS).includes(indicator);
  }

  #sessionsOf({ contract, indicator: id, params }: TopicSpec): StreamSessions {
    const indicator = indicatorNamed(id)!;
    const sessions = this.#options.world.sessionsOf(contract, indicator.sessionKind(params));
    return { sessions, lookBack: indicator.lookBackSessionsMax(params) };
  }
}

function patientDisk(log: CursorEpochsOptions['log']): Disk {
  const patience = new Patience({
    clock: createClock({ kind: 'system' }),
    onWait: (error) =>
      log.warn(
        { error },
        'the record of stream epochs could not be written yet; the service keeps trying',
      ),
  });
  return new PatientDisk(new NodeDisk(), patience);
}
