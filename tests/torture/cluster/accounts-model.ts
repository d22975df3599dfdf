/**
 * Customers that spend budget and revoke keys at any node during faults, and a model of the result.
 * Each response is charged once; a request without one may be. No node accepts a revoked key.
 */

import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import type { Random } from '../../../simulation/disk/sim-disk.ts';
import { usedUnits } from '../../cluster-suite/account-checks.ts';
import type { ClusterNode } from '../../cluster-suite/cluster-node.ts';
import { pick } from '../export-queries.ts';

const BETWEEN_MS = 400;
const MINUTE_NS = 60_000_000_000n;
const RANGE_NS = 30n * MINUTE_NS;
const DAY_NS = 1_440n * MINUTE_NS;
const REVOKED_PER_ROUND = 2;
/** A reservation without a known outcome expires after a while; until then it counts as used. */
const SETTLED_WITHIN_MS = 20_000;
const LOOK_MS = 500;

export interface ModelOptions {
  readonly nodes: readonly ClusterNode[];
  readonly random: Random;
  /** Keys of accounts that nothing else uses. */
  readonly spender: string;
  readonly manager: string;
}

interface KeyView {
  readonly id: string;
  readonly key: string;
}

export class AccountsModel {
  readonly #options: ModelOptions;
  /** Compute units of received responses, and those possibly charged without a response. */
  #answered = 0;
  #unheard = 0;
  readonly #revoked: string[] = [];
  #reads = 0;

  constructor(options: ModelOptions) {
    this.#options = options;
  }

  get reads(): number {
    return this.#reads;
  }

  get revoked(): number {
    return this.#revoked.length;
  }

  async work(signal: AbortSignal): Promise<void> {
    await Promise.all([this.#spend(signal), this.#revoke(signal)]);
  }

  /** Every node reports the usage and the revocations of the model. */
  async check(): Promise<void> {
    const { nodes, spender } = this.#options;
    const deadline = performance.now() + SETTLED_WITHIN_MS;
    for (;;) {
      const used = await usedUnits(nodes, spender);
      assert.ok(used >= this.#answered, `${used} units are used, ${this.#answered} were answered`);
      const max = this.#answered + this.#unheard;
      if (used <= max) break;
      assert.ok(
        performance.now() < deadline,
        `${used} units are used, at most ${max} were asked for`,
      );
      await pause(LOOK_MS);
    }
    for (const key of this.#revoked) {
      for (const node of nodes) {
        const { status } = await node.get('/v1/usage', key);
        assert.equal(status, 401, `${node.name} knows nothing of a revocation: ${status}`);
      }
    }
    this.#revoked.length = 0;
  }

  async #spend(signal: AbortSignal): Promise<void> {
    const { nodes, random, spender } = this.#options;
    const midnight = ((BigInt(Date.now()) * 1_000_000n) / DAY_NS) * DAY_NS;
    while (!signal.aborted) {
      await pause(BETWEEN_MS, undefined, { signal }).catch(() => undefined);
      const from = midnight - DAY_NS + BigInt(Math.floor(random() * 40)) * RANGE_NS;
      const words = new URLSearchParams({
        instrument: 'BTC.c.0',
        indicator: 'bars',
        from: String(from),
        to: String(from + RANGE_NS),
      });
      const node = pick(random, nodes);
      const costs = await this.#unitsOf(words);
      if (costs === null) continue;
      // The connection may also break in the middle of a response.
      const answer = await node
        .get(`/v1/history?${words}`, spender)
        .then(async (response) => ({ status: response.status, text: await response.text() }))
        .catch(() => null);
      if (answer === null || answer.status >= 500) this.#unheard += costs;
      else if (answer.status === 200) {
        this.#answered += (JSON.parse(answer.text) as { computeUnits: number }).computeUnits;
        this.#reads += 1;
      }
    }
  }

  /** From an estimate, which is free; null when the node does not respond. */
  async #unitsOf(words: URLSearchParams): Promise<number | null> {
    const { nodes, random, spender } = this.#options;
    const answer = await pick(random, nodes)
      .get(`/v1/history/estimate?${words}`, spender)
      .catch(() => null);
    if (answer?.status !== 200) return null;
    return await answer.json().then(
      (told) => (told as { computeUnits: number }).computeUnits,
      () => null,
    );
  }

  async #revoke(signal: AbortSignal): Promise<void> {
    for (let count = 0; count < REVOKED_PER_ROUND && !signal.aborted; count += 1) {
      const body = { name: 'doomed', environment: 'live', scopes: ['stream', 'history'] };
      const made = await this.#until(signal, 'POST', '/v1/keys', 201, body);
      if (made === null) return;
      const { id, key } = made as KeyView;
      // Some nodes have cached the key by then.
      for (const node of this.#options.nodes) {
        const seen = await node.get('/v1/usage', key).catch(() => null);
        await seen?.body?.cancel().catch(() => undefined);
      }
      const gone = await this.#until(signal, 'DELETE', `/v1/keys/${id}`, 200);
      if (gone !== null) this.#revoked.push(key);
    }
  }

  /** Retries at random nodes until one responds with `status`; null when `signal` aborts first. */
  async #until(
    signal: AbortSignal,
    method: string,
    path: string,
    status: number,
    body?: unknown,
  ): Promise<unknown> {
    const { nodes, random, manager } = this.#options;
    while (!signal.aborted) {
      const answer = await pick(random, nodes)
        .send(method, path, manager, body)
        .catch(() => null);
      const told: unknown = await answer?.json().catch(() => null);
      if (answer?.status === status) return told;
      await pause(BETWEEN_MS, undefined, { signal }).catch(() => undefined);
    }
    return null;
  }
}
