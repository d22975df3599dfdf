/**
 * Work that one node of a cluster runs at a time: the holder of a database lock, while its connection lives. When that
 * breaks, another node may start before this one notices, so all such work must be safe to run twice.
 */

import type { Client } from 'pg';
import type { Postgres } from '../../platform/postgres/postgres.ts';

/** Our number among the advisory locks. */
const LOCK = 7_402_004;

export class OneAtATime implements AsyncDisposable {
  readonly #postgres: Pick<Postgres, 'client'>;
  #client: Client | null = null;
  #isHolder = false;
  #asking: Promise<boolean> | null = null;

  constructor(postgres: Pick<Postgres, 'client'>) {
    this.#postgres = postgres;
  }

  /** Whether this node holds the lock, as far as it knows. */
  get isHolder(): boolean {
    return this.#isHolder;
  }

  /** Runs the work if this node holds the lock and resolves after it; otherwise resolves at once. */
  async run(work: () => Promise<unknown>): Promise<void> {
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = null;
    });
    if (await this.#asking) await work();
  }

  /** Another node may take over at once. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#asking;
    await this.#close();
  }

  /** This runs before all work, so a connection that broke silently is noticed. */
  async #ask(): Promise<boolean> {
    try {
      this.#client ??= await this.#connect();
      const ask = this.#isHolder
        ? 'select true as mine'
        : `select pg_try_advisory_lock(${LOCK}) as mine`;
      const { rows } = await this.#client.query<{ mine: boolean }>(ask);
      this.#isHolder = rows[0]!.mine;
    } catch {
      // The account store reports the failure.
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
