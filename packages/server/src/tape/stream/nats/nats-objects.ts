/** The objects of a shared tape in a bucket of NATS. What is read back has the SHA-256 that was noted when it was put, or is refused. */

import { createHash } from 'node:crypto';
import { jetstream } from '@nats-io/jetstream';
import { type ObjectStore, Objm } from '@nats-io/obj';
import type { NatsConnection } from '@nats-io/transport-node';
import type { Clock } from '../../../platform/clock.ts';
import type { TapeObjects } from '../tape-stream.ts';
import { bucketName } from './nats-names.ts';

const PUBLISH_MS_MAX = 5_000;
/** A hundred megabytes take a few seconds; one whose pieces were removed meanwhile would be waited for without an end. */
const GET_MS_MAX = 60_000;

export class NatsObjects implements TapeObjects {
  readonly #store: ObjectStore;
  readonly #clock: Pick<Clock, 'after'>;

  private constructor(store: ObjectStore, clock: Pick<Clock, 'after'>) {
    this.#store = store;
    this.#clock = clock;
  }

  /** Does not look whether there is such a bucket. The connection stays its owner's. */
  static async over(
    connection: NatsConnection,
    dataset: string,
    clock: Pick<Clock, 'after'>,
  ): Promise<NatsObjects> {
    const client = jetstream(connection, { timeout: PUBLISH_MS_MAX, checkAPI: false });
    return new NatsObjects(await new Objm(client).open(bucketName(dataset), false), clock);
  }

  async put(name: string, bytes: Uint8Array): Promise<void> {
    const there = await this.#store.info(name);
    if (there !== null && !there.deleted && there.digest === digestOf(bytes)) return;
    await this.#store.putBlob({ name }, bytes);
  }

  async get(name: string): Promise<Uint8Array | null> {
    const found = await this.#store.get(name);
    if (found === null) return null;
    const reader = found.data.getReader();
    using _patience = this.#clock.after(GET_MS_MAX, () => void reader.cancel());
    const bytes = new Uint8Array(found.info.size);
    let length = 0;
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
      if (length + piece.value.length > bytes.length) throw new Error(`${name} is too long`);
      bytes.set(piece.value, length);
      length += piece.value.length;
    }
    if (digestOf(bytes) !== found.info.digest) throw new Error(`${name} is not what was put`);
    return bytes;
  }

  async list(prefix: string): Promise<readonly string[]> {
    const all = await this.#store.list();
    return all.map(({ name }) => name).filter((name) => name.startsWith(prefix));
  }

  async remove(name: string): Promise<void> {
    await this.#store.delete(name);
  }
}

/** As the client notes it. */
function digestOf(bytes: Uint8Array): string {
  return `SHA-256=${createHash('sha256').update(bytes).digest('base64url').padEnd(44, '=')}`;
}
