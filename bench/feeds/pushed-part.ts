/**
 * Pushed trades, through the whole service. One contract with 20,000 trades a second: from the
 * receipt of a batch to its commit beside a bare write and `fdatasync` in turns. Three datasets at
 * once beside one alone in turns: from the request to the customer's message. And how soon a feed
 * goes on after the service was killed.
 */

import { median, percentile } from '../shared/machine-load.ts';
import { bareSyncs } from './bare-syncs.ts';
import { FeedPusher, type SentBatch, STEP_MS } from './feed-pusher.ts';
import type { FeedReader } from './feed-reader.ts';
import { FeedStage } from './feed-stage.ts';
import { type RunFeedsPart, verdict } from './feeds-part.ts';

const BUSY_TRADES_PER_SECOND = 20_000;
const TRADES_PER_SECOND = 2_000;
const TURNS = 10;
const TURN_SECONDS = 4;
/** A trade of a commit, with its share of the record. */
const TRADE_BYTES = 18;
const BATCH_TRADES = BUSY_TRADES_PER_SECOND / 50;
const FEEDS = 3;
const RESTARTS = 5;
/** Beyond twice the bare sync. */
const COMMIT_EXTRA_MS = 5;
const TOGETHER_MAX = 1.3;
const RESUME_MS_MAX = 2_000;

export const pushed: RunFeedsPart = async () => {
  await using stage = await FeedStage.open(FEEDS);
  await stage.start();
  const busy = await measureBusy(stage);
  const together = await measureTogether(stage);
  const resumesMs = await measureResumes(stage);
  const commitLimitMs = 2 * busy.bareP99 + COMMIT_EXTRA_MS;
  const worst = Math.max(...together.together) / together.one;
  const ms = (value: number) => `${value.toFixed(1)} ms`;
  const both = (p50: number, p99: number) => `${p50.toFixed(1)} ms, 99 %: ${p99.toFixed(1)}`;
  const bare = `a bare write and sync: ${both(busy.bareP50, busy.bareP99)}`;
  return {
    rows: [
      ['pushed, 20,000 trades/s: receipt to commit', both(busy.commitP50, busy.commitP99), bare],
      ['request to acknowledgement', both(busy.ackP50, busy.ackP99), ''],
      ['request to message', both(busy.messageP50, busy.messageP99), ''],
      ...together.together.map(
        (p99, index) =>
          [
            `dataset ${index + 1} of three at once: request to message`,
            `99 %: ${ms(p99)}`,
            `alone: ${ms(together.one)}`,
          ] as const,
      ),
      [
        'killed and started: ready to the first acknowledgement',
        ms(median(resumesMs)),
        `the longest: ${ms(Math.max(...resumesMs))}`,
      ],
    ],
    notes: [
      `Acknowledged ${Math.round(busy.tradesPerSecond)} pushed trades a second of ${BUSY_TRADES_PER_SECOND}.`,
      verdict(
        `receipt to commit within twice the bare sync plus ${COMMIT_EXTRA_MS} ms at 99 %, ${ms(commitLimitMs)}`,
        busy.commitP99 <= commitLimitMs,
        ms(busy.commitP99),
      ),
      verdict(
        `three datasets at once, each at most ${TOGETHER_MAX} times one alone, ${TRADES_PER_SECOND} trades/s each`,
        worst <= TOGETHER_MAX,
        worst.toFixed(2),
      ),
      verdict(
        `a feed goes on within ${RESUME_MS_MAX} ms of a ready service`,
        Math.max(...resumesMs) <= RESUME_MS_MAX,
        ms(Math.max(...resumesMs)),
      ),
      `Pushed: ${TURNS} turns of ${TURN_SECONDS} s. With one contract: the 99 % of each turn, and of these the median; with three datasets: of all turns. The process that pushes and reads shares the cores.`,
    ],
    json: { busy, together, resumesMs },
  };
};

/** Milliseconds. */
interface BusyTurn {
  readonly bare: readonly number[];
  readonly acks: readonly number[];
  readonly commits: readonly number[];
  readonly messages: readonly number[];
  readonly tradesPerSecond: number;
}

interface Side {
  readonly pusher: FeedPusher;
  readonly reader: FeedReader;
}

async function measureBusy(stage: FeedStage) {
  const [feed] = stage.feeds;
  using pusher = new FeedPusher(stage, feed!);
  using reader = await stage.read(feed!);
  const turns: BusyTurn[] = [];
  for (let turn = 0; turn <= TURNS; turn += 1) {
    const bare = await bareSyncs(stage.directory, BATCH_TRADES * TRADE_BYTES, TURN_SECONDS);
    const batches = await pusher.drive(BUSY_TRADES_PER_SECOND, TURN_SECONDS);
    const seconds = (Math.max(...batches.map(({ ackMs }) => ackMs)) - batches[0]!.sentMs) / 1_000;
    const acks = batches.map(({ sentMs, ackMs }) => ackMs - sentMs);
    const commits = batches.map(({ commitMs }) => commitMs);
    const messages = await latencies(reader, batches);
    const tradesPerSecond = (batches.length * BATCH_TRADES) / seconds;
    // The first turn warms up.
    if (turn > 0) turns.push({ bare, acks, commits, messages, tradesPerSecond });
  }
  const of = (pick: (turn: BusyTurn) => readonly number[], share: number) =>
    median(
      turns.map((turn) =>
        percentile(
          pick(turn).toSorted((a, b) => a - b),
          share,
        ),
      ),
    );
  return {
    ackP50: of(({ acks }) => acks, 0.5),
    ackP99: of(({ acks }) => acks, 0.99),
    commitP50: of(({ commits }) => commits, 0.5),
    commitP99: of(({ commits }) => commits, 0.99),
    bareP50: of(({ bare }) => bare, 0.5),
    bareP99: of(({ bare }) => bare, 0.99),
    messageP50: of(({ messages }) => messages, 0.5),
    messageP99: of(({ messages }) => messages, 0.99),
    tradesPerSecond: median(turns.map((turn) => turn.tradesPerSecond)),
  };
}

/** The 99 % of one dataset alone, and of each with the others. Feeds do not keep step with each other. */
async function measureTogether(stage: FeedStage) {
  await stage.service.stop('SIGKILL');
  await stage.start();
  using held = new DisposableStack();
  const sides: Side[] = [];
  for (const feed of stage.feeds) {
    const pusher = held.use(new FeedPusher(stage, feed, await stage.lastId(feed)));
    sides.push({ pusher, reader: held.use(await stage.read(feed)) });
  }
  const driven = async ({ pusher, reader }: Side, index: number) => {
    const afterMs = (index * STEP_MS) / FEEDS;
    return await latencies(reader, await pusher.drive(TRADES_PER_SECOND, TURN_SECONDS, afterMs));
  };
  const alone: number[] = [];
  const together = sides.map((): number[] => []);
  for (let turn = 0; turn <= TURNS; turn += 1) {
    for (const [index, side] of sides.entries()) {
      const found = await driven(side, index);
      if (turn > 0) alone.push(...found);
    }
    const all = await Promise.all(sides.map(driven));
    if (turn > 0) for (const [index, found] of all.entries()) together[index]!.push(...found);
  }
  const p99 = (found: readonly number[]) =>
    percentile(
      found.toSorted((a, b) => a - b),
      0.99,
    );
  return { one: p99(alone), together: together.map(p99) };
}

/** From a ready service to the first acknowledgement, by a writer that never stops trying. */
async function measureResumes(stage: FeedStage): Promise<readonly number[]> {
  const [feed] = stage.feeds;
  const found: number[] = [];
  for (let turn = 0; turn < RESTARTS; turn += 1) {
    await stage.service.stop('SIGKILL');
    await stage.start();
    const readyMs = performance.now();
    using pusher = new FeedPusher(stage, feed!, await stage.lastId(feed!));
    const { ackMs } = await pusher.push(BATCH_TRADES);
    found.push(ackMs - readyMs);
  }
  return found;
}

async function latencies(
  reader: FeedReader,
  batches: readonly SentBatch[],
): Promise<readonly number[]> {
  await reader.has(batches.at(-1)!.lastTrade);
  return batches.map(({ sentMs, lastTrade }) => reader.arrivalOf(lastTrade)! - sentMs);
}
