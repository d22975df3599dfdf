/**
 * Listens for PostgreSQL notifications (`NOTIFY`) on its own connection, which is renewed whenever it breaks.
 * Notifications without a connection are lost, so the listener is also called after every connect. They only speed up
 * what a listener would find by polling; nothing may depend on them.
 */

import type pg from 'pg';
import type { Postgres } from './postgres.ts';

const CONNECT_AGAIN_MS = 1_000;

export class PostgresNews implements AsyncDisposable {
  readonly #postgres: Postgres;
  readonly #channel: string;
  readonly #heard: () => void;
  #client: pg.Client | null = null;
  #timer: NodeJS.Timeout | null = null;
  #isOver = false;

  /** `channel` must be a name of our own, never external input. */
  constructor(postgres: Postgres, channel: string, heard: () => void) {
    this.#postgres = postgres;
    this.#channel = channel;
    this.#heard = heard;
    void this.#connect();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    await this.#client?.end();
  }

  async #connect(): Promise<void> {
    const client = this.#postgres.client();
    this.#client = client;
    let isLost = false;
    const lost = () => {
      if (isLost) return;
      isLost = true;
      client.end().catch(() => {});
      if (this.#isOver) return;
      this.#timer = setTimeout(() => void this.#connect(), CONNECT_AGAIN_MS).unref();
    };
    client.on('error', lost);
    client.on('end', lost);
    client.on('notification', () => this.#heard());
    try {
      await client.connect();
      await client.query(`listen ${this.#channel}`);
      this.#heard();
    } catch {
      lost();
    }
  }
}
