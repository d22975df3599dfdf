/** The metrics of the service by name: tape, topics, gateway and history. */

import type { EpochNs } from '@tapeloom/core/numbers';
import { MS_NS_BIG } from '@tapeloom/core/units';
import { Counter, Histogram, type Registry } from 'prom-client';
import type { Payments } from '../../billing/payments.ts';
import type { Withdrawals } from '../../billing/withdrawals.ts';
import type { ComputeCounters } from '../../compute/compute-counters.ts';
import type { ComputeCounts } from '../../compute/compute-pool.ts';
import type { DigestThread } from '../../exports/digest-thread.ts';
import type { ExportPace } from '../../exports/export-pace.ts';
import type { GatewayMetrics } from '../../gateway/connection/gateway-metrics.ts';
import type { UnreadAnswers } from '../../http/server/answers/unread-answers.ts';
import type { MailServices } from '../../mail/mail-services.ts';
import type { ClockWatch } from '../../platform/clock-watch.ts';
import type { FreeSpace, SpaceReading } from '../../platform/disk/free-space.ts';
import type { AccessLog } from '../../platform/log/access-log.ts';
import { addHistogram, addReading, counter, gauge, type Reading } from '../../platform/metrics.ts';
import type { DoorSockets } from '../../platform/network/door-sockets.ts';
import type { SequencerCounters } from '../../tape/write/sequencer/sequencer-counters.ts';
import type { TopicHub } from '../../topics/topic-hub.ts';
import type { AccountServices } from '../customers/account-services.ts';
import type { IngestReport } from '../ingest/ingest-wire.ts';
import type { OldDaysNews } from '../ingest/large-removals.ts';
import { accountReadings } from './account-metrics.ts';
import { answerReadings } from './answer-metrics.ts';
import { clockReadings } from './clock-metrics.ts';
import { type ClusterReadings, clusterReadings } from './cluster-metrics.ts';
import { doorReadings } from './door-metrics.ts';
import { feedReadings } from './feed-metrics.ts';
import { mailReadings } from './mail-metrics.ts';
import { paymentReadings, withdrawalReadings } from './payment-metrics.ts';
import { topicReadings } from './topic-metrics.ts';

/** Outcomes of trades. */
const TRADE_OUTCOMES = [
  'accepted',
  'late',
  'backwards',
  'sideUnknown',
  'duplicate',
  'tooOld',
  'badId',
  'zeroSize',
  'badSize',
  'offTickPrice',
  'badPrice',
  'badTime',
  'aheadOfTime',
  'unknownSymbol',
] as const satisfies (keyof SequencerCounters)[];

const HISTORY_KINDS: Readonly<Record<string, string>> = {
  '/v1/history': 'page',
  '/v1/history/estimate': 'estimate',
  '/v1/export': 'export',
};

/** The metrics of the compute threads and the cache. */
export interface HistoryReadings {
  compute(): ComputeCounts;
  tablesOpen(): number;
  /** Rejections for lack of capacity beside the compute threads, in the same form. */
  refused(): Partial<ComputeCounts['refused']>;
  readonly pace: Pick<ExportPace, 'bytes' | 'waitingCount'>;
  readonly digests: Pick<DigestThread, 'bytes' | 'lostCount'>;
  readonly counters: ComputeCounters;
  cacheBytes(): number;
  damagedDays(): number;
  readonly cacheBytesMax: number;
}

export interface FillState {
  days: number;
  daysTotal: number;
}

export class ServiceMetrics {
  readonly #registry: Registry;
  readonly #ackSeconds: Histogram;
  readonly #requestSeconds: Histogram<'path' | 'status'>;
  readonly #historyAnswers: Counter<'kind' | 'outcome'>;
  readonly #historyBytes: Counter<'kind'>;
  readonly fill: FillState = { days: 0, daysTotal: 0 };
  /** Contracts that are down because of a price between two ticks. */
  readonly #offTick = new Set<string>();
  #daysRemoved = 0;
  readonly #reloads = { applied: 0, refused: 0 };
  readonly #daysDue = new Map<string, number>();
  /** By dataset. */
  readonly #reports = new Map<string, IngestReport>();

  constructor(registry: Registry, logLinesLeftOut: () => number = () => 0) {
    this.#registry = registry;
    this.#ackSeconds = new Histogram({
      name: 'tapeloom_ack_seconds',
      help: 'Time from the offer of trades to their acknowledgement, after they are on disk.',
      buckets: [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 5],
      registers: [registry],
    });
    this.#requestSeconds = new Histogram({
      name: 'tapeloom_http_request_seconds',
      help: 'Duration of REST requests.',
      labelNames: ['path', 'status'],
      buckets: [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10],
      registers: [registry],
    });
    this.#historyAnswers = new Counter({
      name: 'tapeloom_history_answers_total',
      help: 'Responses of history by kind and outcome: sent, cut by the client, or an error code.',
      labelNames: ['kind', 'outcome'],
      registers: [registry],
    });
    this.#historyBytes = new Counter({
      name: 'tapeloom_history_bytes_total',
      help: 'Bytes of pages, and of exports as they were charged.',
      labelNames: ['kind'],
      registers: [registry],
    });
    for (const reading of this.#tapeReadings()) addReading(registry, reading);
    for (const reading of feedReadings(this.#reports)) addReading(registry, reading);
    const leftOut = 'Log lines dropped because there were too many.';
    addReading(registry, counter('tapeloom_log_lines_left_out_total', leftOut, logLinesLeftOut));
  }

  noteOffTick(contract: string, isDown: boolean): void {
    if (isDown) this.#offTick.add(contract);
    else this.#offTick.delete(contract);
  }

  countReload(outcome: 'applied' | 'refused'): void {
    this.#reloads[outcome] += 1;
  }

  noteOldDays({ dataset, days, dueAt }: OldDaysNews): void {
    if (dueAt === null) this.#daysRemoved += days;
    if (dueAt === null) this.#daysDue.delete(dataset);
    else this.#daysDue.set(dataset, days);
  }

  takeReport(dataset: string, report: IngestReport): void {
    this.#reports.set(dataset, report);
    for (const ms of report.ackMs) this.#ackSeconds.observe(ms / 1000);
  }

  countRequest(path: string | null, status: number, seconds: number): void {
    this.#requestSeconds.observe({ path: path ?? 'unknown', status }, seconds);
  }

  /** Only for history routes; for the others the status is enough. */
  countOutcome(path: string, outcome: string, bytes: number): void {
    const kind = HISTORY_KINDS[path];
    if (kind === undefined) return;
    this.#historyAnswers.inc({ kind, outcome });
    if (bytes > 0) this.#historyBytes.inc({ kind }, bytes);
  }

  watchHistory(history: HistoryReadings): void {
    const readings = [...computeReadings(history), ...cacheReadings(history)];
    for (const reading of readings) addReading(this.#registry, reading);
    addHistogram(this.#registry, {
      name: 'tapeloom_compute_turn_seconds',
      help: 'Duration of the turns of compute threads: how long others may wait.',
      read: () => history.counters.turns,
    });
  }

  watchSpace(directory: string, space: FreeSpace): void {
    for (const reading of spaceReadings(directory, space)) addReading(this.#registry, reading);
  }

  watchAccessLog(access: Pick<AccessLog, 'leftOutTotal'>): void {
    const help = 'Lines dropped because the access log was full.';
    const read = () => access.leftOutTotal;
    addReading(this.#registry, counter('tapeloom_access_lines_left_out_total', help, read));
  }

  watchClock(watch: ClockWatch): void {
    for (const reading of clockReadings(watch)) addReading(this.#registry, reading);
  }

  watchStreams(hub: TopicHub, gateway: GatewayMetrics): void {
    for (const reading of streamReadings(hub, gateway)) addReading(this.#registry, reading);
    const lag = () =>
      this.#max((report, dataset) => secondsBetween(hub.watermarkOf(dataset), report.promise));
    const help = 'Lag of the engines behind the tape, as of the last report.';
    addReading(this.#registry, gauge('tapeloom_engine_lag_seconds', help, lag));
  }

  watchAnswers(unread: UnreadAnswers): void {
    for (const reading of answerReadings(unread)) addReading(this.#registry, reading);
  }

  watchAccounts(accounts: AccountServices): void {
    for (const reading of accountReadings(accounts)) addReading(this.#registry, reading);
  }

  watchPayments(payments: Payments, withdrawals: Withdrawals): void {
    const readings = [...paymentReadings(payments), ...withdrawalReadings(withdrawals)];
    for (const reading of readings) addReading(this.#registry, reading);
  }

  watchCluster(cluster: ClusterReadings): void {
    for (const reading of clusterReadings(cluster)) addReading(this.#registry, reading);
  }

  watchMail(mail: MailServices): void {
    for (const reading of mailReadings(mail)) addReading(this.#registry, reading);
  }

  watchDoor(accounts: AccountServices, sockets: DoorSockets): void {
    for (const reading of doorReadings(accounts, sockets)) addReading(this.#registry, reading);
  }

  #sum(of: (report: IngestReport) => number): number {
    return this.#reports.values().reduce((sum, report) => sum + of(report), 0);
  }

  #max(of: (report: IngestReport, dataset: string) => number): number {
    return Math.max(0, ...Array.from(this.#reports, ([dataset, report]) => of(report, dataset)));
  }

  #tapeReadings(): readonly Reading[] {
    const count = (name: keyof SequencerCounters) => () =>
      this.#sum(({ counters }) => counters[name]);
    const outcomes = () => Object.fromEntries(TRADE_OUTCOMES.map((name) => [name, count(name)()]));
    return [
      {
        name: 'tapeloom_trades_total',
        help: 'Trades from the source, by outcome.',
        kind: 'counter',
        label: 'outcome',
        read: outcomes,
      },
      gauge('tapeloom_trades_held', 'Waiting trades of a future day.', count('held')),
      counter('tapeloom_log_commits_total', 'Commits on disk.', count('commits')),
      counter('tapeloom_log_bytes_total', 'Bytes of log on disk.', count('logBytes')),
      counter('tapeloom_days_sealed_total', 'Days sealed by the ingest.', count('daysSealed')),
      counter(
        'tapeloom_offers_refused_total',
        'Offers refused because of a limit.',
        count('offersRefused'),
      ),
      counter('tapeloom_promises_backwards_total', 'Ignored.', count('promiseBackwards')),
      counter('tapeloom_promises_ahead_total', 'Ignored.', count('promiseAhead')),
      gauge('tapeloom_tape_failed', '1 once the tape has stopped.', count('failed')),
      gauge('tapeloom_tape_paused', '1 while the next day cannot be opened yet.', () => {
        return this.#max(({ isPaused }) => Number(isPaused));
      }),
      counter('tapeloom_tape_waits_total', 'Machine faults that were retried successfully.', () => {
        return this.#sum(({ waitsTotal }) => waitsTotal);
      }),
      gauge('tapeloom_source_lag_seconds', 'Lag of the slowest source behind the clock.', () => {
        // A feed has a lag of its own: its market may be closed.
        return this.#max(({ lagMs, feed }) => (feed === undefined ? lagMs / 1000 : 0));
      }),
      gauge('tapeloom_tape_promise_seconds', 'The latest watermark, seconds since 1970.', () => {
        return this.#max(({ promise }) => Number((promise ?? 0n) / MS_NS_BIG) / 1000);
      }),
      gauge(
        'tapeloom_contracts_off_tick',
        'Contracts that are down because of a price between two ticks.',
        () => this.#offTick.size,
      ),
      gauge('tapeloom_days_missing', 'Sealed days of the manifest whose files are missing.', () => {
        return this.#sum(({ daysMissing }) => daysMissing);
      }),
      counter(
        'tapeloom_days_removed_total',
        'Days of contracts removed by TAPELOOM_KEEP_DAYS.',
        () => {
          return this.#daysRemoved;
        },
      ),
      gauge(
        'tapeloom_days_removal_due',
        'Days of contracts that TAPELOOM_KEEP_DAYS removes soon.',
        () => {
          return [...this.#daysDue.values()].reduce((sum, days) => sum + days, 0);
        },
      ),
      {
        name: 'tapeloom_config_reloads_total',
        help: 'Reloads on SIGHUP, by whether they were applied or refused as invalid.',
        kind: 'counter',
        label: 'outcome',
        read: () => ({ ...this.#reloads }),
      },
      gauge(
        'tapeloom_fill_days',
        'Past days made or fetched since the start.',
        () => this.fill.days,
      ),
      gauge(
        'tapeloom_fill_days_wanted',
        'Past days to make or fetch since the start, those that are done included.',
        () => this.fill.daysTotal,
      ),
    ];
  }
}

function secondsBetween(from: EpochNs | null, to: EpochNs | null): number {
  if (from === null || to === null || to <= from) return 0;
  return Number((to - from) / MS_NS_BIG) / 1000;
}

/** By data directory; without a value if the platform does not provide one. */
function spaceReadings(directory: string, space: FreeSpace): readonly Reading[] {
  const of = (name: Reading['name'], help: string, member: keyof SpaceReading): Reading => ({
    name,
    help,
    kind: 'gauge',
    label: 'directory',
    read: () => (space.reading === null ? {} : { [directory]: space.reading[member] }),
  });
  return [
    of('tapeloom_disk_free_bytes', 'Free disk space of the data directory.', 'freeBytes'),
    of('tapeloom_disk_size_bytes', 'The size of its disk.', 'totalBytes'),
    of(
      'tapeloom_disk_day_bytes',
      'Space that a day of the tape needs, including its log.',
      'dayBytes',
    ),
  ];
}

function streamReadings(hub: TopicHub, gateway: GatewayMetrics): readonly Reading[] {
  return [
    gauge('tapeloom_engine_up', '1 while trades are ingested and computed.', () =>
      hub.state === 'up' ? 1 : 0,
    ),
    ...topicReadings(hub),
    gauge('tapeloom_connections', 'Open connections.', () => gateway.connections),
    gauge('tapeloom_subscriptions', 'Open subscriptions.', () => gateway.subscriptions),
    gauge(
      'tapeloom_parting_connections',
      'Connections closed as too slow that have not ended yet.',
      () => gateway.parting,
    ),
    counter(
      'tapeloom_parting_connections_cut_total',
      'Slow connections destroyed before they ended.',
      () => {
        return gateway.partingCutTotal;
      },
    ),
    counter('tapeloom_connections_total', 'Accepted.', () => gateway.connectionsTotal),
    counter('tapeloom_messages_sent_total', 'To customers.', () => gateway.messagesSentTotal),
    counter('tapeloom_bytes_sent_total', 'To customers.', () => gateway.bytesSentTotal),
    counter('tapeloom_messages_received_total', 'From customers.', () => {
      return gateway.messagesReceivedTotal;
    }),
    {
      name: 'tapeloom_closes_total',
      help: 'Closed connections by close code.',
      kind: 'counter',
      label: 'code',
      read: () => gateway.closesTotal,
    },
    {
      name: 'tapeloom_stream_errors_total',
      help: 'Error messages to customers by code.',
      kind: 'counter',
      label: 'code',
      read: () => gateway.errorsTotal,
    },
  ];
}

function computeReadings(history: HistoryReadings): readonly Reading[] {
  const { compute, tablesOpen, damagedDays } = history;
  return [
    gauge('tapeloom_tables_open', 'Parquet and Arrow exports being written.', () => tablesOpen()),
    gauge('tapeloom_compute_threads', 'Compute threads that run.', () => compute().threads),
    counter('tapeloom_compute_threads_lost_total', 'Died.', () => compute().threadsLost),
    gauge('tapeloom_compute_reads_open', 'Open pages, exports and replays.', () => {
      return compute().open;
    }),
    gauge('tapeloom_compute_reads_waiting', 'Reads waiting for a slot.', () => compute().waiting),
    gauge(
      'tapeloom_compute_running',
      'Requests that the compute threads have not finished yet.',
      () => {
        return compute().calls;
      },
    ),
    gauge('tapeloom_compute_reads_working', 'Reads that hold a slot.', () => compute().working),
    gauge('tapeloom_compute_reads_idle', 'Idle reads open in a thread.', () => {
      return compute().idle;
    }),
    counter(
      'tapeloom_compute_reads_parked_total',
      'Idle reads that were evicted and must be reopened.',
      () => {
        return compute().parked;
      },
    ),
    {
      name: 'tapeloom_compute_refused_total',
      help: 'Requests refused with CAPACITY, by the exhausted resource.',
      kind: 'counter',
      label: 'reason',
      read: () => ({ ...compute().refused, ...history.refused() }),
    },
    gauge('tapeloom_export_bytes_ahead', 'Bytes of exports computed but not sent.', () => {
      return history.pace.bytes;
    }),
    gauge('tapeloom_exports_held_back', 'Exports that wait until computed bytes are sent.', () => {
      return history.pace.waitingCount;
    }),
    gauge('tapeloom_export_bytes_undigested', 'Bytes of exports sent but not digested.', () => {
      return history.digests.bytes;
    }),
    counter('tapeloom_digest_threads_lost_total', 'Died.', () => history.digests.lostCount),
    counter('tapeloom_compute_cancelled_total', 'Requests cancelled by the client.', () => {
      return compute().cancelled;
    }),
    gauge('tapeloom_days_damaged', 'Sealed days found damaged since the start.', () => {
      return damagedDays();
    }),
  ];
}

function cacheReadings(history: HistoryReadings): readonly Reading[] {
  const { counters } = history;
  return [
    {
      name: 'tapeloom_cache_lookups_total',
      help: 'Cache look-ups for results of sealed days.',
      kind: 'counter',
      label: 'outcome',
      read: () => ({ hit: counters.cache.hits, miss: counters.cache.misses }),
    },
    {
      name: 'tapeloom_cache_writes_total',
      help: 'Results to cache: too_much is too large, or more than the disk could write in time.',
      kind: 'counter',
      label: 'outcome',
      read: () => {
        const { kept, skipped, failed } = counters.cache;
        return { kept, too_much: skipped, failed };
      },
    },
    {
      name: 'tapeloom_cache_removed_total',
      help: 'Results removed: over the limit, damaged, or of inputs that have changed.',
      kind: 'counter',
      label: 'reason',
      read: () => {
        const { trimmed, damaged, stale } = counters.cache;
        return { evicted: trimmed, damaged, stale };
      },
    },
    counter('tapeloom_cache_written_bytes_total', 'Kept.', () => counters.cache.keptBytes),
    counter('tapeloom_cache_evicted_bytes_total', 'Bytes evicted over the limit.', () => {
      return counters.cache.trimmedBytes;
    }),
    gauge('tapeloom_cache_bytes', 'Size of the cache on disk, at most a minute old.', () =>
      history.cacheBytes(),
    ),
    gauge('tapeloom_cache_bytes_max', 'The limit of the cache.', () => history.cacheBytesMax),
  ];
}
