/** The reference for resumed streams and replays: an engine's messages over a random tape, without interruption. */

import assert from 'node:assert/strict';
import { compareCursors, parseCursor } from '@tapeloom/core/cursor';
import type { EpochNs } from '@tapeloom/core/numbers';
import { epochNs } from '@tapeloom/core/utc-day';
import type { ServerMessage } from '@tapeloom/protocol/server-messages';
import fc from 'fast-check';
import { MemoryTape, type MemoryTrade } from '../tape/memory-tape.ts';
import {
  randomCommits,
  randomTopics,
  type ScriptedCommit,
  type Topic,
} from '../tape/random-commits.ts';
import { edgeOf, updatesOf } from './block-updates.ts';
import { CONTRACT, DAY, decodeFrames, EngineRun, HOUR_NS, SESSIONS, settle } from './engine-run.ts';

const MS_NS = 1_000_000;
const SECOND = 1_000_000_000n;
/** Before the first of the random commits. */
export const START = epochNs(DAY, 9.5 * HOUR_NS);

/** Random commits, with trades outside sessions, as with regular hours, or without. */
export const scripts = fc.tuple(randomCommits, fc.boolean()).map(([commits, isAlwaysOpen]) => {
  const script = commits.map(({ trades, promise }): ScriptedCommit => {
    return { trades: trades.filter(({ at }) => isAlwaysOpen || isInSession(at)), promise };
  });
  const end = (script.at(-1)!.promise + 2n * SECOND) as EpochNs;
  return [...script, { trades: [], promise: end }];
});

function isInSession(at: EpochNs): boolean {
  return (SESSIONS.atOrBefore(at)?.close ?? START) > at;
}

export const topics = fc.oneof(
  randomTopics,
  fc.constantFrom<Topic>(
    ['delta', {}],
    ['tape-speed', {}],
    ['sweeps', { levels: 2, minSize: 1 }],
    ['absorption', { minSize: 20 }],
    ['imbalances', { bar: 'tick', size: 3, stack: 1, zero: 'count', lookback: 1 }],
    ['unfinished-auctions', { size: 5, lookback: 1 }],
    ['naked-levels', { lookback: 1 }],
  ),
);

/** A position in a script: anywhere, or around a trade, where processing is in progress. */
export type Where = { readonly share: number } | { readonly trade: number; readonly offNs: number };

export const instants = fc.oneof<fc.Arbitrary<Where>[]>(
  fc.record({ share: fc.integer({ min: 0, max: 1_000 }).map((share) => share / 1_000) }),
  fc.record({
    trade: fc.nat(),
    offNs: fc.oneof(fc.constantFrom(-1, 0, 1), fc.integer({ min: 0, max: 25 * MS_NS })),
  }),
);

export class Undisturbed {
  readonly tape: MemoryTape;
  readonly run: EngineRun;
  /** Positions reported with pulses, which a client's `hb` would carry. */
  readonly positions: string[] = [];
  readonly #script: readonly ScriptedCommit[];

  private constructor(script: readonly ScriptedCommit[], batchRows: number) {
    this.tape = new MemoryTape(CONTRACT, batchRows);
    this.run = new EngineRun(this.tape);
    this.#script = script;
  }

  static async over(script: readonly ScriptedCommit[], topic: Topic, batchRows: number) {
    const whole = new Undisturbed(script, batchRows);
    whole.tape.commit([], START);
    whole.run.open(topic);
    await settle();
    for (const { trades, promise } of script) {
      whole.tape.commit(trades, promise);
      await settle();
      const position = whole.run.pulse().topics[0]?.position;
      if (typeof position === 'string') whole.positions.push(position);
    }
    assert.deepEqual(whole.run.faults, []);
    return whole;
  }

  get trades(): readonly MemoryTrade[] {
    return this.#script.flatMap(({ trades }) => trades);
  }

  get end(): EpochNs {
    return this.#script.at(-1)!.promise;
  }

  /** Everything that a client may hold as its last cursor. */
  get cursors(): readonly string[] {
    const published = this.run
      .flushes()
      .flatMap(({ block, position }) => [
        ...updatesOf(block).map(({ cursor }) => cursor),
        position,
      ]);
    return [...published, ...this.positions];
  }

  /** What was published after a cursor at edges up to an instant. */
  between(after: string, until: EpochNs): readonly ServerMessage[] {
    return this.run
      .flushes()
      .filter((flush) => edgeOf(flush) <= until)
      .flatMap((flush) => decodeFrames(flush))
      .filter((message) => 'cursor' in message && compare(message.cursor, after) > 0);
  }

  /** The instant of a position, at most the end. */
  instant(where: Where, isWholeSecond = false): EpochNs {
    const { end, trades } = this;
    let at = START + (end - START) / 2n;
    if ('share' in where) at = START + BigInt(Math.floor(where.share * Number(end - START)));
    else if (trades.length > 0) at = pick(trades, where.trade).at + BigInt(where.offNs);
    if (isWholeSecond) at -= at % SECOND;
    return (at < START ? START : at > end ? end : at) as EpochNs;
  }
}

export function compare(a: string, b: string): number {
  return compareCursors(parseCursor(a)!, parseCursor(b)!);
}

export function pick<T>(all: readonly T[], at: number): T {
  return all[at % all.length]!;
}
