/**
 * A stream in memory with every fault between it and its writers: late or lost messages, lost acknowledgements,
 * "another end" while the writer's own message is in flight, isolated servers with old ends, silent connections. All
 * runs on the given clock, so a run is reproducible. Stored messages stay, whatever the connections do. Only `shrink`
 * removes acknowledged ones, and `leadShort` elects a server that is missing the newest ones, as nats-server may: it
 * responds from its own store, while the others keep theirs.
 *
 *     const keeper = new MemoryKeeper(clock);
 *     const stream = keeper.connect();
 *     stream.line.plan = () => ({ ...PLAIN, isAnswered: false });
 */

import type { Clock } from '@tapeloom/server/platform/clock';
import type {
  Heartbeat,
  PublishOutcome,
  StoredMessage,
  StreamMessage,
  StreamReading,
  StreamSubject,
  TapeStream,
} from '@tapeloom/server/tape/stream/tape-stream';

/** The waits of the NATS adapter. */
const ANSWER_MS_MAX = 1_000;
const IDLE_MS = 500;

type Timers = Pick<Clock, 'after'>;

/** The course of one publish. */
export interface PublishPlan {
  /** Until the keeper receives it. */
  readonly arriveMs: number;
  /** From then until it is stored. Meanwhile other writers get "another end", and readers do not see it. */
  readonly storeMs: number;
  /** From then until the response arrives, if there is one. */
  readonly answerMs: number;
  readonly isAnswered: boolean;
  /** The keeper loses the message before storing it, and never responds. */
  readonly isForgotten: boolean;
}

export const PLAIN: PublishPlan = {
  arriveMs: 1,
  storeMs: 1,
  answerMs: 1,
  isAnswered: true,
  isForgotten: false,
};

/** The state of one client's connection; a test changes it during the run. */
export interface Line {
  plan: () => PublishPlan;
  /** Nothing passes. Messages published meanwhile are sent on `heal`, as bytes in a socket are, or lost. */
  isCut: boolean;
  /** Readings return nothing any more, not even `idle`. */
  isSilent: boolean;
  /** The server at the other end is isolated since this number was the last: it stores nothing. */
  oldEnd: number | null;
  deliverMs: number;
  /** Readings come from a complete follower, even while an incomplete server leads. */
  readsWhole: boolean;
}

export class MemoryKeeper {
  readonly clock: Timers;
  readonly bodyBytesMax: number;
  /** The most messages that fit; further ones are rejected as `full`. */
  countMax = Number.POSITIVE_INFINITY;
  readonly clients = new Set<MemoryStream>();
  #first = 1;
  #messages: StoredMessage[] = [];
  /** The complete content, on the followers, while an incomplete server leads; null otherwise. */
  #whole: StoredMessage[] | null = null;
  #isStoring = false;

  constructor(clock: Timers, bodyBytesMax = 4 * 1_048_576) {
    this.clock = clock;
    this.bodyBytesMax = bodyBytesMax;
  }

  get first(): number {
    return this.#first;
  }

  get last(): number {
    return this.#first + this.#messages.length - 1;
  }

  /** All messages, in order. */
  get messages(): readonly StoredMessage[] {
    return this.#messages;
  }

  /** A client with its own connection and its own process's clock. */
  connect(clock: Timers = this.clock): MemoryStream {
    const stream = new MemoryStream(this, clock);
    this.clients.add(stream);
    return stream;
  }

  at(sequence: number): StoredMessage | null {
    return this.#messages[sequence - this.#first] ?? null;
  }

  /** The keeper's response to a message that has arrived; null when it never responds. */
  take(
    message: StreamMessage,
    last: number,
    plan: PublishPlan,
    say: (said: PublishOutcome) => void,
  ) {
    if (this.#whole !== null) store(this.#whole, message, last);
    if (message.body.length > this.bodyBytesMax) say({ outcome: 'refused', why: 'tooLarge' });
    else if (this.#isStoring || last !== this.last) say({ outcome: 'otherEnd' });
    else if (this.#messages.length >= this.countMax) say({ outcome: 'refused', why: 'full' });
    else {
      this.#isStoring = true;
      this.clock.after(plan.storeMs, () => {
        this.#isStoring = false;
        if (plan.isForgotten || last !== this.last) return;
        this.#messages.push({ ...message, body: new Uint8Array(message.body), sequence: last + 1 });
        say({ outcome: 'stored', sequence: last + 1 });
        for (const client of this.clients) client.wake();
      });
    }
  }

  /** A server that has stored nothing beyond this number becomes the leader. */
  leadShort(end: number): void {
    this.#whole = this.#messages;
    this.#messages = this.#messages.slice(0, end - this.#first + 1);
  }

  /** A complete server leads again, and the incomplete one is refilled. */
  leadWhole(): void {
    this.#messages = this.#whole!;
    this.#whole = null;
    for (const client of this.clients) client.cutReadings();
  }

  /** The message that a reading finds on its server. */
  readAt(sequence: number, isWhole: boolean): StoredMessage | null {
    const messages = isWhole ? (this.#whole ?? this.#messages) : this.#messages;
    return messages[sequence - this.#first] ?? null;
  }

  purge(below: number): void {
    const gone = Math.min(below, this.last + 1) - this.#first;
    if (gone <= 0) return;
    this.#messages.splice(0, gone);
    this.#first += gone;
  }

  /** Loses acknowledged messages, as stores restored from old copies do. */
  shrink(end: number): void {
    this.#messages.length = end - this.#first + 1;
    for (const client of this.clients) client.cutReadings();
  }

  spreadWanted(): void {
    for (const client of this.clients) client.hearWanted();
  }

  spread(heartbeat: Heartbeat): void {
    for (const client of this.clients) client.hear(heartbeat);
  }
}

export class MemoryStream implements TapeStream {
  readonly bodyBytesMax: number;
  readonly line: Line = {
    plan: () => PLAIN,
    isCut: false,
    isSilent: false,
    oldEnd: null,
    deliverMs: 1,
    readsWhole: false,
  };
  reconnections = 0;
  readonly #keeper: MemoryKeeper;
  readonly #clock: Timers;
  readonly #listeners = new Set<(heartbeat: Heartbeat) => void>();
  readonly #watermarkListeners = new Set<() => void>();
  readonly #readings = new Set<MemoryReading>();
  #unsent: (() => void)[] = [];

  constructor(keeper: MemoryKeeper, clock: Timers) {
    this.#keeper = keeper;
    this.#clock = clock;
    this.bodyBytesMax = keeper.bodyBytesMax;
  }

  /** Restores the connection. */
  heal(isUnsentSent = false): void {
    const unsent = this.#unsent;
    this.#unsent = [];
    this.line.isCut = false;
    this.line.isSilent = false;
    this.line.oldEnd = null;
    if (isUnsentSent) for (const send of unsent) send();
    this.wake();
  }

  publish(message: StreamMessage, last: number): Promise<PublishOutcome> {
    const plan = this.line.plan();
    return new Promise((resolve) => {
      const late = this.#clock.after(ANSWER_MS_MAX, () =>
        resolve({ outcome: 'unknown', cause: new Error('no answer') }),
      );
      const answer = (said: PublishOutcome) => {
        if (!plan.isAnswered) return;
        this.#clock.after(plan.answerMs, () => {
          if (this.line.isCut) return;
          late[Symbol.dispose]();
          resolve(said);
        });
      };
      const send = () => {
        this.#keeper.clock.after(plan.arriveMs, () => {
          if (this.line.oldEnd === null) this.#keeper.take(message, last, plan, answer);
          else if (last !== this.line.oldEnd) answer({ outcome: 'otherEnd' });
        });
      };
      if (this.line.isCut) this.#unsent.push(send);
      else send();
    });
  }

  read(sequence: number): Promise<StoredMessage | null> {
    return this.#asked(() => (sequence > this.visibleEnd ? null : this.#keeper.at(sequence)));
  }

  newest(subject: StreamSubject): Promise<StoredMessage | null> {
    return this.#asked(
      () =>
        this.#keeper.messages.findLast(
          (message) => message.subject === subject && message.sequence <= this.visibleEnd,
        ) ?? null,
    );
  }

  ends(): Promise<{ readonly first: number; readonly last: number }> {
    return this.#asked(() => ({ first: this.#keeper.first, last: this.visibleEnd }));
  }

  follow(from: number): Promise<StreamReading> {
    return this.#asked(() => {
      const reading = new MemoryReading(this.#keeper, this, this.#clock, from, () =>
        this.#readings.delete(reading),
      );
      this.#readings.add(reading);
      return reading;
    });
  }

  async purge(below: number): Promise<void> {
    await this.#asked(() => this.#keeper.purge(below));
  }

  async reconnect(): Promise<void> {
    this.reconnections += 1;
    this.cutReadings();
  }

  beat(heartbeat: Heartbeat): void {
    if (this.line.isCut || this.line.oldEnd !== null) return;
    this.#keeper.spread(heartbeat);
  }

  onBeat(listener: (heartbeat: Heartbeat) => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => this.#listeners.delete(listener) };
  }

  wantWatermark(): void {
    if (!this.line.isCut) this.#keeper.spreadWanted();
  }

  onWatermarkWanted(listener: () => void): Disposable {
    this.#watermarkListeners.add(listener);
    return { [Symbol.dispose]: () => this.#watermarkListeners.delete(listener) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.cutReadings();
    this.#keeper.clients.delete(this);
  }

  /** The last number visible to this client. */
  get visibleEnd(): number {
    return Math.min(this.line.oldEnd ?? this.#keeper.last, this.#keeper.last);
  }

  get isMute(): boolean {
    return this.line.isCut || this.line.isSilent;
  }

  hear(heartbeat: Heartbeat): void {
    if (this.line.isCut || this.line.oldEnd !== null) return;
    this.#clock.after(1, () => {
      for (const listener of this.#listeners) listener(heartbeat);
    });
  }

  hearWanted(): void {
    if (this.line.isCut) return;
    this.#clock.after(1, () => {
      for (const listener of this.#watermarkListeners) listener();
    });
  }

  wake(): void {
    for (const reading of this.#readings) reading.wake();
  }

  cutReadings(): void {
    for (const reading of this.#readings) reading.cut();
  }

  #asked<T>(answer: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.line.isCut) this.#clock.after(ANSWER_MS_MAX, () => reject(new Error('no answer')));
      else this.#clock.after(1, () => resolve(answer()));
    });
  }
}

class MemoryReading implements StreamReading {
  readonly #keeper: MemoryKeeper;
  readonly #stream: MemoryStream;
  readonly #clock: Timers;
  readonly #onEnd: () => void;
  #next: number;
  #waiting: PromiseWithResolvers<StoredMessage | 'idle'> | null = null;
  #idle: Disposable | null = null;
  #isOver = false;

  constructor(
    keeper: MemoryKeeper,
    stream: MemoryStream,
    clock: Timers,
    from: number,
    onEnd: () => void,
  ) {
    this.#keeper = keeper;
    this.#stream = stream;
    this.#clock = clock;
    this.#next = Math.max(from, keeper.first);
    this.#onEnd = onEnd;
  }

  next(): Promise<StoredMessage | 'idle'> {
    if (this.#isOver) return Promise.reject(new Error('the line is lost'));
    this.#waiting = Promise.withResolvers();
    const { promise } = this.#waiting;
    this.wake();
    this.#idle = this.#clock.after(IDLE_MS, () => {
      if (!this.#stream.isMute) this.#settle((waiting) => waiting.resolve('idle'));
    });
    return promise;
  }

  wake(): void {
    this.#clock.after(this.#stream.line.deliverMs, () => {
      this.#next = Math.max(this.#next, this.#keeper.first);
      if (this.#waiting === null || this.#stream.isMute) return;
      const { readsWhole, oldEnd } = this.#stream.line;
      const message = this.#keeper.readAt(this.#next, readsWhole);
      if (message === null || this.#next > (oldEnd ?? this.#next)) return;
      this.#next += 1;
      this.#settle((waiting) => waiting.resolve(message));
    });
  }

  cut(): void {
    this.#isOver = true;
    this.#onEnd();
    this.#settle((waiting) => waiting.reject(new Error('the line is lost')));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#isOver) this.cut();
  }

  #settle(how: (waiting: PromiseWithResolvers<StoredMessage | 'idle'>) => void): void {
    const waiting = this.#waiting;
    this.#waiting = null;
    this.#idle?.[Symbol.dispose]();
    this.#idle = null;
    if (waiting !== null) how(waiting);
  }
}

/** Each server appends to its own end, whatever the leader has responded. */
function store(messages: StoredMessage[], message: StreamMessage, last: number): void {
  if ((messages.at(-1)?.sequence ?? 0) !== last) return;
  messages.push({ ...message, body: new Uint8Array(message.body), sequence: last + 1 });
}
