/**
 * Decides which node appends to a shared stream, by the stream alone: the node whose claim is stored. All others
 * follow. After two seconds (by its own ticks) without a message or heartbeat, a node claims right behind the last
 * message it handled. A stored claim proves that nothing was beyond it, and it fences the previous writer. Heartbeats
 * only keep others from claiming. Clocks of two machines are never compared, and there is no lease.
 */

import type { Clock } from '../../platform/clock.ts';
import { sleep } from '../../platform/waiting/sleep.ts';
import { claimNews, isLossTold, PLAIN_CLAIM } from './claim-body.ts';
import { FencedWriter } from './fenced-writer.ts';
import { requireKept } from './require-kept.ts';
import { isProvedShrunk, ShrinkWatch } from './shrink-watch.ts';
import {
  AppendAbandonedError,
  FencedError,
  StreamRefusedError,
  StreamShrunkError,
} from './stream-errors.ts';
import { StreamFollower, TICK_MS } from './stream-follower.ts';
import type { Heartbeat, StoredMessage, TapeStream } from './tape-stream.ts';

/** Silence before a claim, plus a random part, so that nodes do not claim at once. */
const WAIT_LIMIT_MS = 2_000;
const CLAIM_MORE_MS = 300;
/** A fenced writer could not receive heartbeats; it waits this many times longer until it receives one. */
const CLAIM_TIMES_FENCED = 2;
const BEAT_MS = 400;
/** Longer than an election: a writer in doubt about an append for this long stops beating and lets others try. */
const BEAT_IN_DOUBT_MS_MAX = 12_000;
/** How often an idle writer checks whether another has appended, and a follower checks the end. */
const LOOK_MS = 2_000;
const ASK_AGAIN_MS = 200;
/** How long a leaving node waits for its pending append and for the next node's claim together. */
const LEAVE_APPEND_MS_MAX = 5_000;
/** How long a leaving node waits for the next node's claim alone, and how often it looks. */
const LEAVE_MS_MAX = 2_000;
const LEAVE_LOOK_MS = 100;

export type SuccessionState =
  | { readonly role: 'following' }
  | { readonly role: 'claiming' }
  | { readonly role: 'leading'; readonly writer: string }
  /** No node can append before an operator has raised the stream's limits. */
  | { readonly role: 'refused'; readonly why: 'full' | 'tooLarge' }
  /** The stream has ended below the known number for half a minute. If proved, no node appends before a repair. */
  | {
      readonly role: 'shrunk';
      readonly known: number;
      readonly end: number;
      readonly isProved: boolean;
    };

export interface SuccessionHandler {
  /** Another node's stored message, in order. After a repair of the stream, known records may come again. */
  message(stored: StoredMessage): void | Promise<void>;
  /** The stream is read again from behind this number, which lies before the last known one. */
  rewound?(last: number): void;
  /** A `lost` claim proved false: the stream has everything that was known. `rewound` was called before. */
  whole?(): void;
  /** Everything stored so far is handled. May be called repeatedly, and too early. */
  idle?(): void;
  /**
   * This node now appends: its claim is stored, and `message` has received everything before it. Nothing is followed
   * until this resolves. It ends when the signal is aborted, because the writer failed, or because the node leaves;
   * then after the pending append. A rejection with another error than the writer's ends the succession. One with
   * `StreamShrunkError` is a loss that was found there and recorded by a claim.
   */
  lead(writer: FencedWriter, signal: AbortSignal): Promise<void>;
  /** Called on every change; the initial state is `following`. */
  state(state: SuccessionState): void;
}

export interface SuccessionOptions {
  readonly stream: TapeStream;
  readonly clock: Pick<Clock, 'after' | 'every'>;
  /** In [0, 1). */
  readonly random: () => number;
  /** This node's name in heartbeats and writers. */
  readonly node: string;
  /** The number of the last known message. */
  readonly from: number;
  readonly mayLead: boolean;
  readonly handler: SuccessionHandler;
}

/** One term in which this node claims and appends. */
interface Leading {
  readonly writer: FencedWriter;
  /** Aborted when the node leaves. */
  readonly stop: AbortController;
  readonly over: PromiseWithResolvers<void>;
  isClaimed: boolean;
}

interface Loss {
  readonly behind: number;
  readonly known: number;
}

const NO_LOSS: Loss = { behind: Number.POSITIVE_INFINITY, known: 0 };

/**
 *   following ──silence, or the leader leaves──► claiming ──stored──► leading ──fenced, left──► following
 *       ▲───────────────another node was first───────────┘
 *
 * After a `lost` claim without a later `mended` one no node claims. Servers may differ, though: one with missing
 * messages may lead for a while and store such a claim alone. So each node keeps checking whether the current leader
 * still has the claim. If not, it reads the stream again from the begin of the supposed loss.
 */
export class Succession implements AsyncDisposable {
  readonly #options: SuccessionOptions;
  readonly #follower: StreamFollower;
  readonly #shrinking: ShrinkWatch;
  readonly #over = new AbortController();
  /** Ends the current following. */
  #following = new AbortController();
  #leading: Leading | null = null;
  #running: Promise<void> | null = null;
  #isLeaving = false;
  #isLost = false;
  /** The known loss: the stream is sound up to this number, and had more. */
  #loss: Loss = NO_LOSS;
  #isNewsKnown = false;
  /** The last message read; null for none. */
  #newest: StoredMessage | null = null;
  #state: SuccessionState = { role: 'following' };
  #leader: string | null = null;
  #claimAfterMs = 0;
  #sinceLookMs = 0;
  #isLooking = false;
  #inDoubtMs = 0;
  #appendedBefore = 0;
  #takeovers = 0;
  #unknownsBefore = 0;

  constructor(options: SuccessionOptions) {
    const { stream, clock, from, handler } = options;
    this.#options = options;
    this.#shrinking = new ShrinkWatch(clock);
    this.#follower = new StreamFollower({
      stream,
      clock,
      from,
      onMessage: (stored) => this.#take(stored),
      onIdle: () => handler.idle?.(),
    });
  }

  get last(): number {
    return this.#leading?.writer.last ?? this.#follower.last;
  }

  /** The writer that appends, as far as this node knows. */
  get leader(): string | null {
    return this.#leading?.writer.writer ?? this.#leader;
  }

  /** How often this node has become the leader. */
  get takeovers(): number {
    return this.#takeovers;
  }

  /** Unknown outcomes of this node's appends. */
  get unknownsTotal(): number {
    return this.#unknownsBefore + (this.#leading?.writer.unknownsTotal ?? 0);
  }

  /** Time without anything from the stream: no message, response or heartbeat. */
  get quietMs(): number {
    return this.#leading === null ? this.#follower.quietMs : this.#inDoubtMs;
  }

  /** Follows, and leads when possible and needed, until disposed. Rejects with faults from which it cannot resume. */
  run(): Promise<void> {
    this.#running ??= this.#run();
    return this.#running;
  }

  /** Stops appending for good and keeps following. Resolves when another node appends, or after a few seconds. */
  async leave(): Promise<void> {
    this.#isLeaving = true;
    const leading = this.#leading;
    if (leading === null) return;
    leading.stop.abort();
    if (!leading.isClaimed) leading.writer.abandon();
    using _limit = this.#options.clock.after(LEAVE_APPEND_MS_MAX, () => leading.writer.abandon());
    await leading.over.promise;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#over.abort();
    this.#following.abort();
    this.#leading?.stop.abort();
    this.#leading?.writer.abandon();
    await this.#running?.catch(() => {});
  }

  async #run(): Promise<void> {
    const { stream, clock } = this.#options;
    using _ticking = clock.every(TICK_MS, () => void this.#tick());
    using _listening = stream.onBeat((beat) => this.#hear(beat));
    using _shrinking = this.#shrinking;
    this.#claimAfterMs = this.#drawWait(1);
    while (!this.#over.signal.aborted) {
      this.#following = new AbortController();
      await this.#follower.follow(this.#following.signal);
      await this.#learnNews();
      if (!this.#over.signal.aborted && this.#mayClaim()) await this.#claim();
    }
  }

  /** Before a claim: known messages may lie behind a loss that was not mended. The first claim needs a response. */
  async #learnNews(): Promise<void> {
    const { stream, clock } = this.#options;
    while (this.#mayClaim() && !this.#over.signal.aborted) {
      const claim = await stream.newest('claim').catch(() => undefined);
      const isBehindUs = claim != null && claim.sequence <= this.#follower.last;
      const news = isBehindUs ? claimNews(claim.body) : null;
      if (news?.kind === 'lost') {
        this.#goBehind(claim!.sequence - 1, news.known);
        const { known } = this.#loss;
        this.#become({ role: 'shrunk', known, end: claim!.sequence - 1, isProved: true });
      }
      this.#isNewsKnown ||= claim !== undefined;
      if (this.#isNewsKnown) return;
      await sleep(clock, ASK_AGAIN_MS, this.#over.signal);
    }
  }

  #become(state: SuccessionState): void {
    if (state.role === 'following' && this.#state.role === 'following') return;
    this.#state = state;
    this.#options.handler.state(state);
  }

  #mayClaim(): boolean {
    return this.#options.mayLead && !this.#isLeaving && !this.#isLost;
  }

  #drawWait(times: number): number {
    return times * (WAIT_LIMIT_MS + this.#options.random() * CLAIM_MORE_MS);
  }

  #take(stored: StoredMessage): void | Promise<void> {
    this.#leader = stored.writer;
    this.#newest = stored;
    if (stored.subject === 'claim') {
      const news = claimNews(stored.body);
      if (news.kind === 'lost') {
        const { known } = news;
        this.#lose(Math.min(known, stored.sequence) - 1, known);
        this.#become({ role: 'shrunk', known, end: stored.sequence - 1, isProved: true });
      } else if (news.kind === 'mended') {
        this.#isLost = false;
        this.#loss = NO_LOSS;
      }
    }
    // A stored message removes any doubt of the stream, unless the message itself records a loss.
    if (!this.#isLost) this.#become({ role: 'following' });
    return this.#options.handler.message(stored);
  }

  #hear(beat: Heartbeat): void {
    if (beat.writer === this.#leading?.writer.writer) return;
    if (this.#leading !== null) {
      // Another node also believes it leads: one of the two is wrong.
      this.#sinceLookMs = LOOK_MS;
      return;
    }
    this.#leader = beat.writer;
    if (beat.isLeaving) {
      if (beat.last <= this.#follower.last && this.#mayClaim()) this.#following.abort();
      return;
    }
    this.#claimAfterMs = Math.min(this.#claimAfterMs, WAIT_LIMIT_MS + CLAIM_MORE_MS);
    this.#follower.hearOf(beat.last);
  }

  async #tick(): Promise<void> {
    const leading = this.#leading;
    if (leading !== null) {
      await this.#watchWriter(leading.writer);
      return;
    }
    await this.#follower.tick();
    if (this.#follower.aloneMs >= this.#claimAfterMs && this.#mayClaim()) this.#following.abort();
    else await this.#watchEnd();
  }

  /** A leader that appends nothing would not notice that it is fenced. */
  async #watchWriter(writer: FencedWriter): Promise<void> {
    this.#inDoubtMs = writer.unknowns === 0 ? 0 : this.#inDoubtMs + TICK_MS;
    this.#sinceLookMs = writer.appended === this.#appendedBefore ? this.#sinceLookMs + TICK_MS : 0;
    this.#appendedBefore = writer.appended;
    if (this.#sinceLookMs < LOOK_MS || this.#isLooking) return;
    await this.#looking(() => writer.look());
  }

  /** Without this check, a follower of a leader that knows less than itself would wait for ever. */
  async #watchEnd(): Promise<void> {
    this.#sinceLookMs += TICK_MS;
    if (this.#sinceLookMs < LOOK_MS || this.#isLooking) return;
    await this.#looking(async () => {
      if (this.#isLost) return await this.#judgeLost();
      const known = this.#follower.last;
      const { last: end } = await this.#options.stream.ends();
      if (this.#follower.last !== known) return;
      if (this.#shrinking.hear(known, end)) await this.#judgeShrunk(known, end);
      else if (end >= known && this.#state.role === 'shrunk') this.#become({ role: 'following' });
    });
  }

  async #looking(look: () => Promise<void>): Promise<void> {
    this.#isLooking = true;
    try {
      await look();
    } catch {
      // No response, or the writer has ended, which is reported where it is used.
    } finally {
      this.#isLooking = false;
      this.#sinceLookMs = 0;
    }
  }

  async #judgeShrunk(known: number, end: number): Promise<void> {
    const { stream, node, mayLead } = this.#options;
    if (mayLead && (await isProvedShrunk(stream, `${node}.${end + 1}`, known, end))) {
      this.#goBehind(end, known);
      return;
    }
    const claim = await stream.newest('claim');
    const news = claim === null ? null : claimNews(claim.body);
    if (news?.kind === 'lost') this.#goBehind(claim!.sequence - 1, news.known);
    else this.#become({ role: 'shrunk', known, end, isProved: false });
  }

  /** The stream was shrunk: the next message to read is the claim that proves it, from a server that has it. */
  #goBehind(end: number, known: number): void {
    this.#lose(end, Math.max(known, this.#follower.last));
    this.#shrinking[Symbol.dispose]();
    this.#rewind(end);
  }

  #lose(behind: number, known: number): void {
    this.#isLost = true;
    const { behind: before, known: more } = this.#loss;
    this.#loss = { behind: Math.min(behind, before), known: Math.max(known, more) };
  }

  /** Whether the leading server has the loss on record. A server that is cut off may not, but lets no node append. */
  async #judgeLost(): Promise<void> {
    const { stream, handler } = this.#options;
    const { behind, known } = this.#loss;
    const said = [await stream.newest('claim'), await stream.read(behind + 1)];
    const { last: end } = await stream.ends();
    if (said.some(isLossTold) || end < known || behind !== this.#loss.behind) return;
    this.#isLost = false;
    this.#loss = NO_LOSS;
    this.#rewind(behind);
    handler.whole?.();
    this.#become({ role: 'following' });
  }

  /** Reads again from behind this number: messages read since may come from a server with missing messages. */
  readAgain(last: number): void {
    this.#follower.moveTo(last);
  }

  #rewind(last: number): void {
    this.#follower.moveTo(last);
    this.#options.handler.rewound?.(last);
  }

  async #claim(): Promise<void> {
    const { stream, clock, node } = this.#options;
    const { last } = this.#follower;
    const writer = new FencedWriter({ stream, clock, last, writer: `${node}.${last + 1}` });
    const stop = new AbortController();
    const leading: Leading = { writer, stop, over: Promise.withResolvers(), isClaimed: false };
    this.#leading = leading;
    this.#appendedBefore = 0;
    this.#inDoubtMs = 0;
    this.#become({ role: 'claiming' });
    try {
      await writer.append('claim', PLAIN_CLAIM);
      if (this.#newest?.sequence === last) await requireKept(writer, stream, clock, this.#newest);
      leading.isClaimed = true;
      this.#claimAfterMs = this.#drawWait(1);
      this.#takeovers += 1;
      this.#become({ role: 'leading', writer: writer.writer });
      await this.#lead(writer, stop);
    } catch (error) {
      if (error instanceof StreamShrunkError) writer.end(error);
      else if (error !== writer.ended.reason) throw error;
    } finally {
      this.#unknownsBefore = this.unknownsTotal;
      this.#leading = null;
      leading.over.resolve();
    }
    this.#stepDown(writer);
  }

  async #lead(writer: FencedWriter, stop: AbortController): Promise<void> {
    const { clock, handler } = this.#options;
    const signal = AbortSignal.any([stop.signal, writer.ended]);
    {
      using _beating = clock.every(BEAT_MS, () => this.#beat(writer, false));
      this.#beat(writer, false);
      await handler.lead(writer, signal);
    }
    await this.#handOver(writer);
  }

  /** Waits until the next node's claim is seen. */
  async #handOver(writer: FencedWriter): Promise<void> {
    for (let waitedMs = 0; waitedMs < LEAVE_MS_MAX; waitedMs += LEAVE_LOOK_MS) {
      if (writer.ended.aborted) return;
      this.#beat(writer, true);
      await sleep(this.#options.clock, LEAVE_LOOK_MS, writer.ended);
      await writer.look();
    }
  }

  #beat(writer: FencedWriter, isLeaving: boolean): void {
    if (writer.ended.aborted || this.#inDoubtMs > BEAT_IN_DOUBT_MS_MAX) return;
    this.#options.stream.beat({ writer: writer.writer, isLeaving, last: writer.last });
  }

  #stepDown(writer: FencedWriter): void {
    const reason: unknown = writer.ended.reason;
    writer.abandon();
    if (reason instanceof StreamShrunkError) this.#goBehind(reason.end, reason.known);
    else this.#follower.moveTo(writer.last);
    this.#leader = null;
    this.#claimAfterMs = this.#drawWait(CLAIM_TIMES_FENCED);
    if (reason instanceof StreamRefusedError) {
      this.#become({ role: 'refused', why: reason.why });
    } else if (reason instanceof StreamShrunkError) {
      const { known, end } = reason;
      this.#become({ role: 'shrunk', known, end, isProved: true });
    } else if (
      reason === undefined ||
      reason instanceof FencedError ||
      reason instanceof AppendAbandonedError
    ) {
      this.#become({ role: 'following' });
    } else {
      throw reason;
    }
  }
}
