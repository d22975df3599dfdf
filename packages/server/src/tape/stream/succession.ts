/**
 * Who appends to a stream that several nodes share, decided by the stream alone: whoever's claim is stored. Everybody follows.
 * Who has heard neither a message nor a heartbeat for about two seconds by its own ticks claims, right behind the last message
 * it has dealt with: a stored claim proves that there was nothing beyond, and whoever appended before is fenced by it. Heartbeats
 * only keep others from trying; no clocks of two machines are compared, and nothing is held that could be forgotten.
 *
 *   following ──silence, or the leader leaves──► claiming ──stored──► leading ──fenced, left──► following
 *       ▲───────────────somebody else was first──────────┘
 *
 * Where a `lost` claim stands in the stream and no `mended` one behind it, nobody claims. Servers may differ, though: one that lacks
 * messages may lead for a while and store such a claim alone. So whether it stands is asked of who leads, again and again, and when
 * it does not, the stream is read again from where the loss was said to begin.
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

/** Silence before a claim, and up to how much more by chance, so that not all claim at once. */
const PATIENCE_MS = 2_000;
const PATIENCE_MORE_MS = 300;
/** Who was fenced could not hear who appends, and waits so many times longer until it has heard somebody. */
const PATIENCE_TIMES_FENCED = 2;
const BEAT_MS = 400;
/** Elections take less: who knows nothing of its append for so long lets others try. */
const BEAT_IN_DOUBT_MS_MAX = 12_000;
/** Who has appended nothing for so long looks whether somebody else has, and so does who follows look at the end. */
const LOOK_MS = 2_000;
const ASK_AGAIN_MS = 200;
/** How long one that leaves waits for its append under way and the next one's claim together. */
const LEAVE_APPEND_MS_MAX = 5_000;
/** How long one that leaves waits for the next one's claim alone, and how often it looks for it. */
const LEAVE_MS_MAX = 2_000;
const LEAVE_LOOK_MS = 100;

export type SuccessionState =
  | { readonly role: 'following' }
  | { readonly role: 'claiming' }
  | { readonly role: 'leading'; readonly writer: string }
  /** Nobody can append before an operator has given the stream room. */
  | { readonly role: 'refused'; readonly why: 'full' | 'tooLarge' }
  /** The stream ends below what is known, for half a minute; once that is proved nobody appends before a repair. */
  | {
      readonly role: 'shrunk';
      readonly known: number;
      readonly end: number;
      readonly isProved: boolean;
    };

export interface SuccessionHandler {
  /** A message that somebody else has stored, in order. After a repair of the stream records come again that were known before. */
  message(stored: StoredMessage): void | Promise<void>;
  /** The stream is read again from behind this number, which lies before the last that was known. */
  rewound?(last: number): void;
  /** What a `lost` claim said is not so: the stream has all that was known. It was rewound before. */
  whole?(): void;
  /** Everything that was stored up to now has been dealt with. May be told again and again, and too early. */
  idle?(): void;
  /**
   * This node appends now: its claim is stored, and everything before it was handed to `message`. Until this resolves nothing is
   * followed. It ends when the signal says so: the writer has failed, or the node shall leave; then at the end of the append
   * under way. A rejection with another error than the writer's ends the succession; one with `StreamShrunkError` is a loss that
   * was found there, and told by a claim.
   */
  lead(writer: FencedWriter, signal: AbortSignal): Promise<void>;
  /** Told when it changes; it begins with `following`. */
  state(state: SuccessionState): void;
}

export interface SuccessionOptions {
  readonly stream: TapeStream;
  readonly clock: Pick<Clock, 'after' | 'every'>;
  /** From 0 up to 1. */
  readonly random: () => number;
  /** This node, as heartbeats and writers name it. */
  readonly node: string;
  /** The number of the last message that is known. */
  readonly from: number;
  /** Whether this node may append. */
  readonly mayLead: boolean;
  readonly handler: SuccessionHandler;
}

/** The time in which this node claims and appends. */
interface Leading {
  readonly writer: FencedWriter;
  /** Says that the node shall leave. */
  readonly stop: AbortController;
  readonly over: PromiseWithResolvers<void>;
  isClaimed: boolean;
}

interface Loss {
  readonly behind: number;
  readonly known: number;
}

const NO_LOSS: Loss = { behind: Number.POSITIVE_INFINITY, known: 0 };

export class Succession implements AsyncDisposable {
  readonly #options: SuccessionOptions;
  readonly #follower: StreamFollower;
  readonly #shrinking: ShrinkWatch;
  readonly #over = new AbortController();
  /** Ends the following that is under way. */
  #following = new AbortController();
  #leading: Leading | null = null;
  #running: Promise<void> | null = null;
  #isLeaving = false;
  #isLost = false;
  /** What is known of the loss: the stream is right up to this number, and had more. */
  #loss: Loss = NO_LOSS;
  #isNewsKnown = false;
  /** The message that was read last; null for none. */
  #newest: StoredMessage | null = null;
  #state: SuccessionState = { role: 'following' };
  #leader: string | null = null;
  #patienceMs = 0;
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

  /** The number of the last message that is known. */
  get last(): number {
    return this.#leading?.writer.last ?? this.#follower.last;
  }

  /** The writer who appends, as far as is known here. */
  get leader(): string | null {
    return this.#leading?.writer.writer ?? this.#leader;
  }

  /** How often this node has become the one that appends. */
  get takeovers(): number {
    return this.#takeovers;
  }

  /** How often nobody knew whether a message of this node was stored. */
  get unknownsTotal(): number {
    return this.#unknownsBefore + (this.#leading?.writer.unknownsTotal ?? 0);
  }

  /** For how long nothing has come of the stream: no message, no answer, no word of who appends. */
  get quietMs(): number {
    return this.#leading === null ? this.#follower.quietMs : this.#inDoubtMs;
  }

  /** Follows, and appends where it may and must, until it is disposed. Rejects with what cannot be gone on from. */
  run(): Promise<void> {
    this.#running ??= this.#run();
    return this.#running;
  }

  /** Appends no more, now or later, and goes on following. Resolves when somebody else does, or a few seconds later. */
  async leave(): Promise<void> {
    this.#isLeaving = true;
    const leading = this.#leading;
    if (leading === null) return;
    leading.stop.abort();
    if (!leading.isClaimed) leading.writer.abandon();
    using _patience = this.#options.clock.after(LEAVE_APPEND_MS_MAX, () =>
      leading.writer.abandon(),
    );
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
    this.#patienceMs = this.#drawPatience(1);
    while (!this.#over.signal.aborted) {
      this.#following = new AbortController();
      await this.#follower.follow(this.#following.signal);
      await this.#learnNews();
      if (!this.#over.signal.aborted && this.#mayClaim()) await this.#claim();
    }
  }

  /** Before a claim: what is known may lie behind a loss that was not mended. Before the first one it is waited for. */
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

  #drawPatience(times: number): number {
    return times * (PATIENCE_MS + this.#options.random() * PATIENCE_MORE_MS);
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
    // Who takes what somebody has stored stands in no doubt of the stream any more, unless that is what it says.
    if (!this.#isLost) this.#become({ role: 'following' });
    return this.#options.handler.message(stored);
  }

  #hear(beat: Heartbeat): void {
    if (beat.writer === this.#leading?.writer.writer) return;
    if (this.#leading !== null) {
      // Somebody else believes that it appends: one of the two is wrong.
      this.#sinceLookMs = LOOK_MS;
      return;
    }
    this.#leader = beat.writer;
    if (beat.isLeaving) {
      if (beat.last <= this.#follower.last && this.#mayClaim()) this.#following.abort();
      return;
    }
    this.#patienceMs = Math.min(this.#patienceMs, PATIENCE_MS + PATIENCE_MORE_MS);
    this.#follower.hearOf(beat.last);
  }

  async #tick(): Promise<void> {
    const leading = this.#leading;
    if (leading !== null) {
      await this.#watchWriter(leading.writer);
      return;
    }
    await this.#follower.tick();
    if (this.#follower.aloneMs >= this.#patienceMs && this.#mayClaim()) this.#following.abort();
    else await this.#watchEnd();
  }

  /** One that appends nothing would not learn that it is fenced. */
  async #watchWriter(writer: FencedWriter): Promise<void> {
    this.#inDoubtMs = writer.unknowns === 0 ? 0 : this.#inDoubtMs + TICK_MS;
    this.#sinceLookMs = writer.appended === this.#appendedBefore ? this.#sinceLookMs + TICK_MS : 0;
    this.#appendedBefore = writer.appended;
    if (this.#sinceLookMs < LOOK_MS || this.#isLooking) return;
    await this.#looking(() => writer.look());
  }

  /** One that follows somebody who knows less than itself would wait for ever. */
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
      // Nobody answered, or the writer has ended, which is told where it is used.
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

  /** The stream was shrunk: the claim that proves it is the next message to be read, of a server that has it. */
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

  /** Whether the server that leads knows of the loss. One that is cut off may not, but lets nobody append. */
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

  /** Reads again from behind this number: what was read since may be of a server that lacked messages. */
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
      this.#patienceMs = this.#drawPatience(1);
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

  /** Until the next one's claim is seen. */
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
    this.#patienceMs = this.#drawPatience(PATIENCE_TIMES_FENCED);
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
