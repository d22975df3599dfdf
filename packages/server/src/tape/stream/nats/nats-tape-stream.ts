/**
 * The stream of a shared tape in NATS JetStream. Every publish expects the last number of the whole stream:
 * expectations by subject, locks in key-value buckets and message ids let two writers win (docs/decisions/0064). The
 * stream's leader responds to reads, and it may be cut off.
 */

import {
  type ConsumerConfig,
  DeliverPolicy,
  JetStreamApiError,
  type JetStreamClient,
  type JetStreamManager,
  jetstream,
  type StoredMsg,
} from '@nats-io/jetstream';
import { errors, headers, type NatsConnection } from '@nats-io/transport-node';
import type {
  Heartbeat,
  PublishOutcome,
  StoredMessage,
  StreamMessage,
  StreamReading,
  StreamSubject,
  TapeStream,
} from '../tape-stream.ts';
import {
  beatSubject,
  STREAM_SUBJECTS,
  streamName,
  subjectName,
  watermarkSubject,
} from './nats-names.ts';
import { NatsReading, WRITER_HEADER } from './nats-reading.ts';

const PUBLISH_MS_MAX = 1_000;
const ASK_MS_MAX = 1_500;
/** More than this program's headers, which a server counts as payload. */
const HEADER_BYTES_MAX = 512;
/** A server deletes an unread consumer after this time. */
const CONSUMER_IDLE_NS = 30_000_000_000;
const NO_MESSAGE = 10_037;
/** "Wrong last sequence", with and without the last number. */
const OTHER_END: ReadonlySet<number> = new Set([10_071, 10_164]);
/** The stream has reached its `max_bytes`, or its server is out of space. */
const FULL: ReadonlySet<number> = new Set([10_077, 10_023, 10_047]);
const TOO_LARGE = 10_054;

export class NatsTapeStream implements TapeStream {
  readonly #connection: NatsConnection;
  readonly #client: JetStreamClient;
  readonly #manager: JetStreamManager;
  readonly #dataset: string;
  readonly #stream: string;
  readonly #subjects: ReadonlyMap<string, StreamSubject>;
  #payloadBytesMax = 0;

  private constructor(
    connection: NatsConnection,
    client: JetStreamClient,
    manager: JetStreamManager,
    dataset: string,
  ) {
    this.#connection = connection;
    this.#client = client;
    this.#manager = manager;
    this.#dataset = dataset;
    this.#stream = streamName(dataset);
    this.#subjects = new Map(
      STREAM_SUBJECTS.map((subject) => [subjectName(dataset, subject), subject]),
    );
  }

  /** Does not check that the stream exists. The caller keeps owning the connection. */
  static async over(connection: NatsConnection, dataset: string): Promise<NatsTapeStream> {
    const client = jetstream(connection, { timeout: ASK_MS_MAX });
    const manager = await client.jetstreamManager(false);
    const stream = new NatsTapeStream(connection, client, manager, dataset);
    stream.#payloadBytesMax = connection.info?.max_payload ?? 0;
    return stream;
  }

  /** The last server's value, because the client has none while it reconnects. */
  get bodyBytesMax(): number {
    this.#payloadBytesMax = this.#connection.info?.max_payload ?? this.#payloadBytesMax;
    return this.#payloadBytesMax - HEADER_BYTES_MAX;
  }

  async publish(message: StreamMessage, last: number): Promise<PublishOutcome> {
    if (message.body.length > this.bodyBytesMax) return { outcome: 'refused', why: 'tooLarge' };
    const named = headers();
    named.set(WRITER_HEADER, message.writer);
    try {
      const { seq } = await this.#client.publish(
        subjectName(this.#dataset, message.subject),
        message.body,
        {
          headers: named,
          timeout: PUBLISH_MS_MAX,
          expect: { streamName: this.#stream, lastSequence: last },
        },
      );
      return { outcome: 'stored', sequence: seq };
    } catch (error) {
      return refusalOf(error) ?? { outcome: 'unknown', cause: error };
    }
  }

  read(sequence: number): Promise<StoredMessage | null> {
    return this.#get({ seq: sequence });
  }

  newest(subject: StreamSubject): Promise<StoredMessage | null> {
    return this.#get({ last_by_subj: subjectName(this.#dataset, subject) });
  }

  async ends(): Promise<{ readonly first: number; readonly last: number }> {
    const { state } = await this.#manager.streams.info(this.#stream);
    // An empty stream reports 0 as its first number.
    return { first: Math.max(state.first_seq, 1), last: state.last_seq };
  }

  async follow(from: number): Promise<StreamReading> {
    const options: Partial<ConsumerConfig> = {
      deliver_policy: DeliverPolicy.StartSequence,
      opt_start_seq: from,
      inactive_threshold: CONSUMER_IDLE_NS,
    };
    const consumer = await this.#client.consumers.get(this.#stream, options);
    return await NatsReading.of(consumer, this.#subjects);
  }

  async purge(below: number): Promise<void> {
    await this.#manager.streams.purge(this.#stream, { seq: below });
  }

  async reconnect(): Promise<void> {
    await this.#connection.reconnect().catch(() => {});
  }

  beat(heartbeat: Heartbeat): void {
    // The client would buffer it until a server is back, when it is stale.
    if (!isConnected(this.#connection)) return;
    this.#connection.publish(beatSubject(this.#dataset), JSON.stringify(heartbeat));
  }

  onBeat(listener: (heartbeat: Heartbeat) => void): Disposable {
    const subscription = this.#connection.subscribe(beatSubject(this.#dataset), {
      callback: (error, message) => {
        const heartbeat = error === null ? heartbeatOf(message.string()) : null;
        if (heartbeat !== null) listener(heartbeat);
      },
    });
    return { [Symbol.dispose]: () => subscription.unsubscribe() };
  }

  wantWatermark(): void {
    if (isConnected(this.#connection)) this.#connection.publish(watermarkSubject(this.#dataset));
  }

  onWatermarkWanted(listener: () => void): Disposable {
    const subscription = this.#connection.subscribe(watermarkSubject(this.#dataset), {
      callback: (error) => {
        if (error === null) listener();
      },
    });
    return { [Symbol.dispose]: () => subscription.unsubscribe() };
  }

  async [Symbol.asyncDispose](): Promise<void> {}

  async #get(which: { seq: number } | { last_by_subj: string }): Promise<StoredMessage | null> {
    try {
      const found = await this.#manager.streams.getMessage(this.#stream, which);
      return found === null ? null : this.#stored(found);
    } catch (error) {
      if (error instanceof JetStreamApiError && error.code === NO_MESSAGE) return null;
      throw error;
    }
  }

  #stored(found: StoredMsg): StoredMessage {
    const subject = this.#subjects.get(found.subject);
    if (subject === undefined) throw new Error(`nobody knows the subject ${found.subject}`);
    const writer = found.header.get(WRITER_HEADER);
    return { sequence: found.seq, subject, writer, body: new Uint8Array(found.data) };
  }
}

/** The stream's verdict, if it is one; any other error leaves open whether the message is stored. */
function refusalOf(error: unknown): PublishOutcome | null {
  if (error instanceof errors.InvalidArgumentError) return { outcome: 'refused', why: 'tooLarge' };
  if (!(error instanceof JetStreamApiError)) return null;
  if (OTHER_END.has(error.code)) return { outcome: 'otherEnd' };
  if (FULL.has(error.code)) return { outcome: 'refused', why: 'full' };
  return error.code === TOO_LARGE ? { outcome: 'refused', why: 'tooLarge' } : null;
}

/** Null for a foreign message. */
function heartbeatOf(text: string): Heartbeat | null {
  try {
    const said = JSON.parse(text) as Partial<Heartbeat> | null;
    if (typeof said?.writer !== 'string' || typeof said.isLeaving !== 'boolean') return null;
    if (!Number.isSafeInteger(said.last)) return null;
    return { writer: said.writer, isLeaving: said.isLeaving, last: said.last! };
  } catch {
    return null;
  }
}

function isConnected(connection: NatsConnection): boolean {
  // The client's types do not show it.
  const { protocol } = connection as unknown as {
    readonly protocol: { readonly connected: boolean };
  };
  return protocol.connected;
}
