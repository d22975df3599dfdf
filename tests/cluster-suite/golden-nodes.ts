/**
 * The golden day's trades on a tape that several nodes share through real NATS servers. The leading
 * node is offered the next trades until they are acknowledged.
 */

import { setTimeout as pause } from 'node:timers/promises';
import type { EpochNs } from '@tapeloom/core/numbers';
import { dayOf, epochNs, nsOfDay } from '@tapeloom/core/utc-day';
import { NodeDisk } from '@tapeloom/server/platform/disk/node-disk';
import { createClock } from '@tapeloom/server/platform/system-clock';
import { zstdAside } from '@tapeloom/server/platform/zstd-aside';
import { SharedTape } from '@tapeloom/server/tape/shared/shared-tape';
import type { LeadTerm } from '@tapeloom/server/tape/shared/shared-tape-options';
import type { NatsTape } from '@tapeloom/server/tape/stream/nats/open-nats-tape';
import { intakeBatch } from '../../packages/server/testing/tape/feed-rows.ts';
import type { MemoryTrade } from '../../packages/server/testing/tape/memory-tape.ts';
import type { NatsServers } from '../../packages/server/testing/tape/nats-servers.ts';
import { openTape } from '../../packages/server/testing/tape/nats-tape-rig.ts';
import { tapeRows } from '../../packages/server/testing/tape/tape-on-sim-disk.ts';
import { NOW, SYMBOL } from '../golden-day/golden-tape.ts';

const LONG_AFTER = 4_000_000_000_000_000_000n as EpochNs;
/** The most trades of one offer. */
const OFFER_ROWS_MAX = 40;
const LOOK_MS = 20;

/** The trades in order; the feed advances when a leader has acknowledged them. */
export class GoldenFeed {
  readonly #trades: readonly MemoryTrade[];
  #next = 0;
  /** No trades from this index on are offered. */
  until = 0;

  constructor(trades: readonly MemoryTrade[]) {
    this.#trades = trades;
  }

  get fed(): number {
    return this.#next;
  }

  /** Offers the next trades to the leader; unacknowledged trades are offered again. */
  async offerNext(intake: LeadTerm['intake']): Promise<boolean> {
    const first = this.#trades[this.#next];
    if (first === undefined || this.#next >= this.until) return false;
    const day = dayOf(first.at);
    let end = this.#next + 1;
    while (end < this.#next + OFFER_ROWS_MAX && end < this.#trades.length) {
      if (dayOf(this.#trades[end]!.at) !== day) break;
      end += 1;
    }
    const rows = this.#trades.slice(this.#next, end).map(({ at, price, size, side }, row) => {
      return [this.#next + row, nsOfDay(at), price, size, side] as const;
    });
    const promise = this.#trades[end]?.at ?? NOW;
    await intake.offer([intakeBatch(SYMBOL, day, rows)], promise);
    this.#next = end;
    return true;
  }
}

export interface GoldenNodeOptions {
  readonly name: string;
  readonly servers: NatsServers;
  readonly dataset: string;
  readonly tapeRoot: string;
  readonly feed: GoldenFeed;
}

export class GoldenNode {
  /** The error that ended the tape; null while it runs. Retried errors do not count. */
  down: unknown = null;
  readonly #options: GoldenNodeOptions;
  #nats: NatsTape | null = null;
  #tape: SharedTape | null = null;

  constructor(options: GoldenNodeOptions) {
    this.#options = options;
  }

  get isLeading(): boolean {
    return this.#tape?.report.role === 'leading';
  }

  get sequence(): number {
    return this.#tape?.report.sequence ?? 0;
  }

  /** The number of sealed days that the node still has to fetch. */
  get daysToCome(): number {
    return this.#tape?.report.daysToCome ?? 0;
  }

  async start(): Promise<void> {
    const { name, servers, dataset, tapeRoot } = this.#options;
    const nats = await openTape(servers, dataset);
    this.#nats = nats;
    const tape = await SharedTape.open({
      disk: new NodeDisk(),
      ...{ tapeRoot, dataset, cluster: 'golden', node: name, mayLead: true },
      ...{ stream: nats.stream, objects: nats.objects, packing: zstdAside },
      clock: createClock({ kind: 'system' }),
      random: Math.random,
      listed: () => [SYMBOL],
      now: () => LONG_AFTER,
      handler: {
        book: () => {},
        dayFetched: () => {},
        dayRemoved: () => {},
        lead: (term) => this.#feed(term),
        state: () => {},
        fault: () => {},
      },
    });
    this.#tape = tape;
    tape.run().catch((error: unknown) => {
      if (this.#tape === tape) this.down = error;
    });
  }

  /** Hands over to another node, then ends. */
  async leave(): Promise<void> {
    await this.#tape?.leave();
    await this.#end();
  }

  /** Drops the NATS connection at any moment, then ends. */
  async drop(): Promise<void> {
    const nats = this.#nats;
    this.#nats = null;
    await nats?.[Symbol.asyncDispose]();
    await this.#end();
  }

  async trades(): Promise<readonly MemoryTrade[]> {
    const rows = await tapeRows(this.#tape!.tape, SYMBOL);
    return rows.map(([day, , ts, price, size, side]) => {
      return { at: epochNs(day, ts), price, size, side: side as -1 | 0 | 1 };
    });
  }

  async #end(): Promise<void> {
    const tape = this.#tape;
    this.#tape = null;
    await tape?.[Symbol.asyncDispose]();
    await this.#nats?.[Symbol.asyncDispose]();
    this.#nats = null;
  }

  async #feed({ intake, signal, bookChanged, setReady }: LeadTerm): Promise<void> {
    setReady();
    await bookChanged();
    while (!signal.aborted) {
      const wasOffered = await this.#options.feed.offerNext(intake);
      if (!wasOffered) await pause(LOOK_MS, undefined, { signal }).catch(() => undefined);
    }
  }
}
