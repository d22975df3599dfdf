/**
 * Work that one node of a cluster does at a time: who holds a lock of the database's, as long as the connection lives that took
 * it. When that breaks, another node may begin while this one has not noticed yet, so all such work is safe to be done
 * twice.
 */

import type { Client } from 'pg';
import type { Postgres } from '../../platform/postgres/postgres.ts';

/** A number of our own among advisory locks. */
const LOCK = 7_402_004;

export class OneAtATime implements AsyncDisposable {
  readonly #postgres: Pick<Postgres, 'client'>;
  #client: Client | null = null;
  #isHolder = false;
  #asking: Promise<boolean> | null = null;

  constructor(postgres: Pick<Postgres, 'client'>) {
    this.#postgres = postgres;
  }

  /** Whether this node does it, as far as it knows. */
  get isHolder(): boolean {
    return this.#isHolder;
  }

  /** Does the work where it is this node's turn; resolves when that is over, at once where it is not. */
  async run(work: () => Promise<unknown>): Promise<void> {
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = null;
    });
    if (await this.#asking) await work();
  }

  /** Another node may go on at once. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#asking;
    await this.#close();
  }

  /** Asked before every work: a connection that broke in silence is noticed by that. */
  async #ask(): Promise<boolean> {
    try {
      this.#client ??= await this.#connect();
      const ask = this.#isHolder
        ? 'select true as mine'
        : `select pg_try_advisory_lock(${LOCK}) as mine`;
      const { rows } = await this.#client.query<{ mine: boolean }>(ask);
      this.#isHolder = rows[0]!.mine;
    } catch {
      // Who looks after the accounts tells of it.
      await this.#close();
    }
    return this.#isHolder;
  }

  async #connect(): Promise<Client> {
    const client = this.#postgres.client();
    client.on('error', () => this.#lose(client));
    client.on('end', () => this.#lose(client));
    await client.connect();
    return client;
  }

  #lose(client: Client): void {
    if (this.#client !== client) return;
    this.#client = null;
    this.#isHolder = false;
  }

  async #close(): Promise<void> {
    const client = this.#client;
    this.#client = null;
    this.#isHolder = false;
    await client?.end().catch(() => undefined);
  }
}
