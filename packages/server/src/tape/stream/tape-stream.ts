/**
 * The port of a tape that many machines share: one ordered stream of messages per dataset, replicated and synced by
 * whoever keeps it. Everything that studies depend on goes through it, under one fence: a publish names the last message
 * it knows of, and is stored only right behind that one. Nothing else of a stream may be relied on. What it says of its end, and
 * what it reads, may be old; only a stored publish proves that everything before it was known.
 */

/**
 * `record`: one record of a day's log, byte for byte. `claim`: from here on its writer appends; it has no place in any log.
 * `book`: what studies need beside trades, always whole, so that the newest one is enough.
 */
export type StreamSubject = 'record' | 'claim' | 'book';

export interface StreamMessage {
  readonly subject: StreamSubject;
  /** Who wrote it, outside the body: `<node>.<term>`. */
  readonly writer: string;
  readonly body: Uint8Array;
}

export interface StoredMessage extends StreamMessage {
  /** 1, 2, 3 … over all subjects; never given twice. */
  readonly sequence: number;
}

export function isSameMessage(one: StreamMessage, other: StreamMessage): boolean {
  return (
    one.subject === other.subject &&
    one.writer === other.writer &&
    Buffer.compare(one.body, other.body) === 0
  );
}

export type PublishOutcome =
  /** On a majority of disks, under this number. */
  | { readonly outcome: 'stored'; readonly sequence: number }
  /** It may be stored, now or later, or never. */
  | { readonly outcome: 'unknown'; readonly cause: unknown }
  /** Whoever answered knows another end than the one that was expected. Not yet a verdict. */
  | { readonly outcome: 'otherEnd' }
  /** The stream has no room for it, or takes no message of that size. */
  | { readonly outcome: 'refused'; readonly why: 'full' | 'tooLarge' };

/** A word of who appends, not stored and not relied on: it only keeps others from trying. */
export interface Heartbeat {
  readonly writer: string;
  /** It is about to stop: who stands by may try at once. */
  readonly isLeaving: boolean;
  /** The number of the last message it knows of. */
  readonly last: number;
}

/** Messages in their order, from one number on. May be disposed more than once, and never rejects then. */
export interface StreamReading extends AsyncDisposable {
  /**
   * The next message; `idle` when the keeper has just said that there is none yet, which may be old. Rejects when the line is
   * lost, and when the reading is disposed meanwhile.
   */
  next(): Promise<StoredMessage | 'idle'>;
}

export interface TapeStream extends AsyncDisposable {
  /** The largest body that is taken. */
  readonly bodyBytesMax: number;
  /** Stores the message right behind number `last`, or not at all. Never rejects. */
  publish(message: StreamMessage, last: number): Promise<PublishOutcome>;
  /** One message; null where there is none, or none any more. May be old. Rejects when nobody answers. */
  read(sequence: number): Promise<StoredMessage | null>;
  /** The newest message of a subject. May be old. Rejects when nobody answers. */
  newest(subject: StreamSubject): Promise<StoredMessage | null>;
  /** The first and last number there are; `last` is one below `first` in an empty stream. May be old. Rejects as well. */
  ends(): Promise<{ readonly first: number; readonly last: number }>;
  /** A stream that no longer has this number begins with the first it has. Rejects when nobody answers. */
  follow(from: number): Promise<StreamReading>;
  /** Forgets everything below this number; numbers go on as before. */
  purge(below: number): Promise<void>;
  /** Looks for another server: this one may be cut off from the others. Neither rejects nor waits until there is one. */
  reconnect(): Promise<void>;
  beat(heartbeat: Heartbeat): void;
  onBeat(listener: (heartbeat: Heartbeat) => void): Disposable;
  /** A reader of some node waits for the present. Not stored, and may be lost: it only hurries whoever appends. */
  wantWatermark(): void;
  onWatermarkWanted(listener: () => void): Disposable;
}

/** Large things that the stream names by their digests. Nobody relies on a name alone. */
export interface TapeObjects {
  /** Two who put one name at once leave one whole; what was put in part is whole once it is put again. */
  put(name: string, bytes: Uint8Array): Promise<void>;
  get(name: string): Promise<Uint8Array | null>;
  /** Names that begin with this. */
  list(prefix: string): Promise<readonly string[]>;
  remove(name: string): Promise<void>;
}
