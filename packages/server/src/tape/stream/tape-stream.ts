/**
 * The port of a shared tape: one ordered stream of messages per dataset, replicated and synced by its servers.
 * Everything that studies depend on goes through it, under one fence: a publish names the last message it knows, and is
 * stored only right behind that one. Nothing else of a stream is reliable. Reported ends and reads may be stale; only a
 * stored publish proves that everything before it was known.
 */

/**
 * `record`: one record of a day's log, byte for byte. `claim`: its writer appends from here on; it is part of no log.
 * `book`: the inputs of studies beside trades, always complete, so that the newest one is enough.
 */
export type StreamSubject = 'record' | 'claim' | 'book';

export interface StreamMessage {
  readonly subject: StreamSubject;
  /** Its writer, outside the body: `<node>.<term>`. */
  readonly writer: string;
  readonly body: Uint8Array;
}

export interface StoredMessage extends StreamMessage {
  /** 1, 2, 3 … over all subjects; never assigned twice. */
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
  /** The responding server knows another end than the expected one. Not yet a verdict. */
  | { readonly outcome: 'otherEnd' }
  /** The stream has no room for it, or accepts no message of that size. */
  | { readonly outcome: 'refused'; readonly why: 'full' | 'tooLarge' };

/** A sign of life of the leader, neither stored nor relied on: it only keeps others from claiming. */
export interface Heartbeat {
  readonly writer: string;
  /** The leader is about to stop: a standby may claim at once. */
  readonly isLeaving: boolean;
  /** The number of the last message it knows. */
  readonly last: number;
}

/** Messages in order, from one number on. May be disposed more than once; disposal never rejects. */
export interface StreamReading extends AsyncDisposable {
  /** The next message, or `idle`: none yet, perhaps stale. Rejects on a lost connection or a disposal. */
  next(): Promise<StoredMessage | 'idle'>;
}

export interface TapeStream extends AsyncDisposable {
  readonly bodyBytesMax: number;
  /** Stores the message right behind number `last`, or not at all. Never rejects. */
  publish(message: StreamMessage, last: number): Promise<PublishOutcome>;
  /** One message; null when it does not exist, or no longer. May be stale. Rejects without a response. */
  read(sequence: number): Promise<StoredMessage | null>;
  /** The newest message of a subject. May be stale. Rejects without a response. */
  newest(subject: StreamSubject): Promise<StoredMessage | null>;
  /** The first and last number; `last` is one below `first` if empty. May be stale. Rejects without a response. */
  ends(): Promise<{ readonly first: number; readonly last: number }>;
  /** When `from` is no longer there, the reading begins with the first existing number. Rejects without a response. */
  follow(from: number): Promise<StreamReading>;
  /** Deletes everything below this number; numbering continues. */
  purge(below: number): Promise<void>;
  /** Tries another server: this one may be cut off from the others. Neither rejects nor waits for the connection. */
  reconnect(): Promise<void>;
  beat(heartbeat: Heartbeat): void;
  onBeat(listener: (heartbeat: Heartbeat) => void): Disposable;
  /** A reader on some node waits for the present. Not stored, and may be lost: it only hurries the leader. */
  wantWatermark(): void;
  onWatermarkWanted(listener: () => void): Disposable;
}

/** Large objects that the stream names by their digests. A name alone proves nothing. */
export interface TapeObjects {
  /** Concurrent puts of one name leave one of them complete. Another put completes an interrupted one. */
  put(name: string, bytes: Uint8Array): Promise<void>;
  get(name: string): Promise<Uint8Array | null>;
  list(prefix: string): Promise<readonly string[]>;
  remove(name: string): Promise<void>;
}
