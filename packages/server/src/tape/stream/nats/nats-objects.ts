/**
 * The objects of a shared tape, as messages of a stream: pieces, and a note that describes them. A piece's subject is a
 * digest of the object's name and content, and holds at most one message. So repeated, late or concurrent puts store
 * the same bytes in the same place, and another put completes an object with missing pieces. (The client library's
 * object store uses new pieces for each attempt, and deletes them when its note's acknowledgement is lost.) Content
 * that does not match the SHA-256 in the note is rejected.
 */

import { createHash } from 'node:crypto';
import {
  JetStreamApiError,
  type JetStreamClient,
  type JetStreamManager,
  jetstream,
} from '@nats-io/jetstream';
import { headers, type NatsConnection } from '@nats-io/transport-node';
import type { TapeObjects } from '../tape-stream.ts';
import { bucketStreamName, noteSubject, pieceSubject } from './nats-names.ts';

const ANSWER_MS_MAX = 5_000;
const PIECE_BYTES_MAX = 1_048_576;
const PIECES_UNDER_WAY = 4;
/** The content may be replaced while it is read. */
const GET_TRIES_MAX = 3;
const NO_MESSAGE = 10_037;

/** The stored description of an object. */
interface Note {
  readonly bytes: number;
  readonly pieces: number;
  readonly sha256: string;
}

/** A server's response to a request for a message. */
interface Answer {
  readonly message?: { readonly data?: string };
  readonly error?: {
    readonly code: number;
    readonly err_code: number;
    readonly description: string;
  };
}

export class NatsObjects implements TapeObjects {
  readonly #connection: NatsConnection;
  readonly #client: JetStreamClient;
  readonly #manager: JetStreamManager;
  readonly #dataset: string;
  readonly #stream: string;
  readonly #answerMsMax: number;

  private constructor(
    connection: NatsConnection,
    client: JetStreamClient,
    manager: JetStreamManager,
    { dataset, answerMsMax }: { readonly dataset: string; readonly answerMsMax: number },
  ) {
    this.#connection = connection;
    this.#client = client;
    this.#manager = manager;
    this.#dataset = dataset;
    this.#stream = bucketStreamName(dataset);
    this.#answerMsMax = answerMsMax;
  }

  /** Does not check that the stream exists. The caller keeps owning the connection. */
  static async over(
    connection: NatsConnection,
    dataset: string,
    answerMsMax = ANSWER_MS_MAX,
  ): Promise<NatsObjects> {
    const client = jetstream(connection, { timeout: answerMsMax });
    const manager = await client.jetstreamManager(false);
    return new NatsObjects(connection, client, manager, { dataset, answerMsMax });
  }

  async put(name: string, bytes: Uint8Array): Promise<void> {
    const before = await this.#note(name);
    const pieces = Math.ceil(bytes.length / PIECE_BYTES_MAX);
    const note = { bytes: bytes.length, pieces, sha256: sha256(bytes) };
    if (before?.sha256 === note.sha256 && (await this.#isWhole(name, note))) return;
    await inSomeOrder(pieces, (index) => {
      const from = index * PIECE_BYTES_MAX;
      const piece = bytes.subarray(from, from + PIECE_BYTES_MAX);
      return this.#store(this.#pieceSubject(name, note, index), piece);
    });
    await this.#store(noteSubject(this.#dataset, name), JSON.stringify(note));
    if (before !== null && before.sha256 !== note.sha256) await this.#removePieces(name, before);
  }

  async get(name: string): Promise<Uint8Array | null> {
    for (let tries = 1; tries <= GET_TRIES_MAX; tries++) {
      const note = await this.#note(name);
      if (note === null) return null;
      const bytes = await this.#content(name, note);
      if (bytes !== null) return bytes;
    }
    throw new Error(`the object ${name} is not whole`);
  }

  async list(prefix: string): Promise<readonly string[]> {
    const all = noteSubject(this.#dataset, '');
    const subjects = await this.#subjects(`${all}>`);
    const names = subjects.map((subject) => subject.slice(all.length));
    return names.filter((name) => name.startsWith(prefix)).sort();
  }

  async remove(name: string): Promise<void> {
    const note = await this.#note(name);
    if (note === null) return;
    await this.#removePieces(name, note);
    await this.#removeAll(noteSubject(this.#dataset, name));
  }

  async #note(name: string): Promise<Note | null> {
    const found = await this.#newest(noteSubject(this.#dataset, name));
    return found === null ? null : (JSON.parse(found.toString()) as Note);
  }

  /** Null when a piece is missing or differs. */
  async #content(name: string, note: Note): Promise<Uint8Array | null> {
    const bytes = new Uint8Array(note.bytes);
    let length = 0;
    await inSomeOrder(note.pieces, async (index) => {
      const piece = await this.#newest(this.#pieceSubject(name, note, index));
      const from = index * PIECE_BYTES_MAX;
      if (piece === null || from + piece.length > bytes.length) return;
      bytes.set(piece, from);
      length += piece.length;
    });
    return length === bytes.length && sha256(bytes) === note.sha256 ? bytes : null;
  }

  async #isWhole(name: string, note: Note): Promise<boolean> {
    return (await this.#subjects(this.#pieceSubject(name, note, '*'))).length === note.pieces;
  }

  async #removePieces(name: string, note: Note): Promise<void> {
    await this.#removeAll(this.#pieceSubject(name, note, '*'));
  }

  #pieceSubject(name: string, note: Note, index: number | '*'): string {
    return pieceSubject(this.#dataset, sha256(`${name} ${note.sha256}`), index);
  }

  /** Replaces the stored message of this subject. */
  async #store(subject: string, body: Uint8Array | string): Promise<void> {
    const replacing = headers();
    replacing.set('Nats-Rollup', 'sub');
    await this.#client.publish(subject, body, { headers: replacing });
  }

  /** The client's own method takes eight times as long to decode the message. */
  async #newest(subject: string): Promise<Buffer | null> {
    const said = await this.#connection.request(
      `$JS.API.STREAM.MSG.GET.${this.#stream}`,
      JSON.stringify({ last_by_subj: subject }),
      { timeout: this.#answerMsMax },
    );
    const { message, error } = said.json<Answer>();
    if (error?.err_code === NO_MESSAGE) return null;
    if (error !== undefined) throw new JetStreamApiError(error);
    return Buffer.from(message?.data ?? '', 'base64');
  }

  async #subjects(filter: string): Promise<readonly string[]> {
    const { state } = await this.#manager.streams.info(this.#stream, { subjects_filter: filter });
    return Object.keys(state.subjects ?? {});
  }

  async #removeAll(filter: string): Promise<void> {
    await this.#manager.streams.purge(this.#stream, { filter });
  }
}

/** Works on some at a time, in ascending order. */
async function inSomeOrder(count: number, work: (index: number) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async () => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: PIECES_UNDER_WAY }, worker));
}

function sha256(content: Uint8Array | string): string {
  return createHash('sha256').update(content).digest('hex');
}
