/**
 * Decides which stream cursors are no longer valid. It joins the floors in the record of epochs with the repairs of the
 * tape that raise them. The record is read before an endpoint opens.
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
import { RetryingDisk } from '../../platform/disk/retrying-disk.ts';
import type { Log } from '../../platform/log/log.ts';
import { createClock } from '../../platform/system-clock.ts';
import { FaultRetry } from '../../platform/waiting/fault-retry.ts';
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
 * The delay before a running node that the others considered dead resumes an indicator which it computes differently.
 * By then, nodes that have not read the register accept no new clients (`node-register.ts`). A starting node needs no
 * delay: all nodes have seen it before.
 */
const HEARD_AGAIN_MS = 11_000;

const OTHER_VERSION = 'The version of this indicator is changing. Subscribe again.';
const DAYS_TO_COME =
  'This server is still fetching past days that the stream needs. Subscribe again.';

export interface CursorEpochsOptions {
  readonly directory: string;
  readonly log: Pick<Log, 'info' | 'warn' | 'error'>;
  readonly disk?: Disk;
  readonly world: Pick<TradingWorld, 'tradingSessions' | 'sessionsOf' | 'datasetOf'>;
  readonly hub: Pick<TopicHub, 'repair' | 'hasServed' | 'refuse' | 'tapeDayOf'>;
  readonly timers: Pick<Clock, 'after'>;
  readonly replays: Pick<Replays, 'locate'>;
  /** Resolves when the engines know the tape. */
  readonly tapeKnown: Promise<void>;
  /** Resolves when history reads the newest import. */
  readonly pastRefreshed: () => Promise<void>;
  /** Whether live nodes compute an indicator in different ways; omitted for a single process. */
  readonly isDisputed?: (indicator: string) => boolean;
}

export class CursorEpochs {
  readonly #options: CursorEpochsOptions;
  readonly #repairs: TapeRepairs;
  readonly #opened = Promise.withResolvers<EpochStore>();
  /** Whether no cursor was issued before this process started. */
  #isFirstStart = false;
  /** Null until `open`. */
  #store: EpochStore | null = null;
  /** By dataset, the floors that all nodes of a cluster know. */
  readonly #sharedOf = new Map<string, StreamEpochs>();
  /** Indicators not streamed here: other nodes compute a different version. */
  #givenUp: ReadonlySet<string> = new Set();
  #heardAgain: Disposable | null = null;
  /** By dataset, days that other nodes compute with and this one is missing. */
  readonly #missing = new Map<string, NewestDays>();
  /** By contract, days unreadable on this node that other nodes may compute with. */
  readonly #damaged = new Map<string, Set<UtcDay>>();
  /** Keys of contract and day: no result was shown without these days while they could not be read. */
  readonly #neverShownWithout = new Set<string>();
  /** Indicators given up by the first book and never shown here since: that book did not know this node yet. */
  #unshown: ReadonlySet<string> | null = null;

  constructor(options: CursorEpochsOptions) {
    const { hub, log } = options;
    this.#options = options;
    this.#repairs = new TapeRepairs({
      // A client that gets a reset must also find the new days in history.
      computeAnew: async (contract) => {
        await options.pastRefreshed();
        return await hub.repair(contract);
      },
      epochs: options.tapeKnown.then(() => this.#opened.promise),
      isAgreed: (symbol, repaired) =>
        this.#neverShownWithout.has(`${symbol} ${repaired}`) ||
        this.#unsettled(symbol).includes(repaired) ||
        this.#sharedFloors.some(({ contract, day }) => contract === symbol && day === repaired),
      mayHaveCursors: (symbol) => !this.#isFirstStart || hub.hasServed(symbol),
      onFault: (error) => log.error({ error }, 'a repair of the tape could not be recorded'),
    });
  }

  /** `day` is the tape's current day. */
  async open(day: UtcDay): Promise<void> {
    const { directory, log, world, replays } = this.#options;
    const contracts = Object.keys(world.tradingSessions.contracts);
    const store = await EpochStore.open({
      disk: this.#options.disk ?? retryingDisk(log),
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

  /** Why a cursor of a stream is no longer valid; null if it is valid. */
  resetOf(spec: TopicSpec, cursor: Cursor): ResetReason | null {
    const matters = (day: UtcDay) => dayMatters(this.#sessionsOf(spec), cursor, day);
    const days = [
      ...this.#repairs.underWay(spec.contract),
      ...this.#unsettled(spec.contract),
      ...this.#missingOf(spec.contract),
    ];
    if (days.some(matters)) return 'source_gap';
    if (this.#isDisputed(spec)) return 'engine_changed';
    const floors = [...(this.#store?.epochs.floors ?? []), ...this.#sharedFloors];
    return brokenBy(floors, spec, cursor, matters);
  }

  /** The agreement of the cluster's nodes on a dataset's tape, in the format of the record of epochs. */
  noteShared(dataset: string, text: string): void {
    const shared = parseEpochs(text, Object.keys(OWN_COMPUTATIONS));
    if (shared !== null) this.#sharedOf.set(dataset, shared);
    const { log, timers } = this.#options;
    const before = this.#givenUp;
    const now = new Set(
      this.#shared.flatMap(({ computations }) => givenUpIndicators(OWN_COMPUTATIONS, computations)),
    );
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

  /** By contract, the newest day that other nodes have and this one is missing. Dependent streams get an error here. */
  noteMissing(dataset: string, newest: NewestDays): void {
    this.#missing.set(dataset, newest);
    this.#refuse(this.#givenUp);
  }

  /**
   * A day that belongs on the tape cannot be read. In a cluster, streams that depend on it get an error here until it
   * is back. A single process computes them again without the day.
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

  /** The day can be read again: dependent results are computed again with it. */
  noteSound(contract: string, day: UtcDay): void {
    this.#damaged.get(contract)?.delete(day);
    this.#repairs.noteFilled(contract, day);
  }

  /** Whether everything shown is computed with the days on this node. */
  get isComputed(): boolean {
    return this.#repairs.isComputed;
  }

  /** An engine found that a day was removed from the tape, or restored. */
  noteChanged(contract: string, day: UtcDay): void {
    const { log } = this.#options;
    log.warn({ contract, day }, 'a day of the tape was removed or restored: it is computed again');
    this.noteFilled(contract, day);
  }

  /** A past day was added to the tape or removed from it. */
  noteFilled(symbol: string, day: UtcDay): void {
    this.#repairs.noteFilled(symbol, day);
  }

  /** An import has changed days. Resolves to whether everything that depended on them has ended and is recorded. */
  async noteImported(days: ChangedDays): Promise<boolean> {
    for (const [contract, changed] of days) this.#repairs.noteImported(contract, changed);
    await this.#repairs.idle;
    return [...days.keys()].every((contract) => this.#repairs.underWay(contract).length === 0);
  }

  #refuse(indicators: ReadonlySet<string>): void {
    this.#givenUp = indicators;
    this.#options.hub.refuse((spec) => this.#refusalOf(spec));
  }

  /** Why a stream is not served here; null if it is. */
  #refusalOf(spec: TopicSpec): string | null {
    if (this.#givenUp.has(spec.indicator)) return OTHER_VERSION;
    const missing = this.#missingOf(spec.contract);
    if (missing.length === 0) return null;
    const today = this.#options.hub.tapeDayOf(spec.contract);
    if (today === null) return DAYS_TO_COME;
    // A caller with delayed access may still be on the previous day.
    const sessions = this.#sessionsOf(spec);
    const matters = (day: UtcDay) =>
      [today, addDays(today, -1)].some((on) => dayMatters(sessions, { day: on }, day));
    return missing.some(matters) ? DAYS_TO_COME : null;
  }

  /** Days that other nodes compute with and this node does not yet. */
  #missingOf(contract: string): readonly UtcDay[] {
    // A single process has no other nodes to differ from.
    if (this.#options.isDisputed === undefined) return [];
    const newest = [...this.#missing.values()].flatMap((of) => of[contract] ?? []);
    const uncomputed = this.#repairs
      .uncomputed(contract)
      .filter((day) => !this.#shared.some((one) => isComing(one, { symbol: contract, day })));
    const damaged = this.#damaged.get(contract) ?? [];
    return [...newest, ...damaged, ...uncomputed];
  }

  /** Other live nodes compute it differently, or did, and not all nodes know yet where those nodes' cursors end. */
  #isDisputed({ indicator, contract }: TopicSpec): boolean {
    if (this.#options.isDisputed?.(indicator) === true) return true;
    return this.#agreedOn(contract).some(({ computations }) =>
      changedIndicators(computations, OWN_COMPUTATIONS).includes(indicator),
    );
  }

  /** The nodes agree on each tape by itself: a contract waits for its own dataset, and an imported one for all. */
  #agreedOn(contract: string): readonly StreamEpochs[] {
    const own = this.#sharedOf.get(this.#options.world.datasetOf(contract) ?? '');
    return own === undefined ? this.#shared : [own];
  }

  get #shared(): readonly StreamEpochs[] {
    return [...this.#sharedOf.values()];
  }

  get #sharedFloors(): StreamEpochs['floors'] {
    return this.#shared.flatMap(({ floors }) => floors);
  }

  #unsettled(contract: string): readonly UtcDay[] {
    return this.#shared.flatMap((shared) => unsettledDays(shared, contract));
  }

  #sessionsOf({ contract, indicator: id, params }: TopicSpec): StreamSessions {
    const indicator = indicatorNamed(id)!;
    const sessions = this.#options.world.sessionsOf(contract, indicator.sessionKind(params));
    return { sessions, lookBack: indicator.lookBackSessionsMax(params) };
  }
}

function retryingDisk(log: CursorEpochsOptions['log']): Disk {
  const faultRetry = new FaultRetry({
    clock: createClock({ kind: 'system' }),
    onWait: (error) =>
      log.warn(
        { error },
        'the record of stream epochs could not be written yet; the service keeps trying',
      ),
  });
  return new RetryingDisk(new NodeDisk(), faultRetry);
}
