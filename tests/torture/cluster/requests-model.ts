/**
 * A customer that exceeds its request rate at any node during faults. All nodes together never
 * grant more than one rate limit allows; once healed they grant at least what was refilled.
 */

import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { PLAN_LIMITS } from '@tapeloom/core/entitlement/plan';
import type { Random } from '../../../simulation/disk/sim-disk.ts';
import type { ClusterNode } from '../../cluster-suite/cluster-node.ts';
import { pick } from '../export-queries.ts';

/** The limit of an account without grants. */
const PER_MINUTE = PLAN_LIMITS.sandbox.restPerMinute;
const PER_MS = PER_MINUTE / 60_000;
const BETWEEN_MS = 300;
const PATH = '/v1/usage';

interface Granted {
  readonly sentMs: number;
  readonly answeredMs: number;
}

export class RequestsModel {
  readonly #nodes: readonly ClusterNode[];
  readonly #random: Random;
  readonly #key: string;
  #granted: Granted[] = [];
  #askedMs = 0;
  #checks = 0;

  constructor(nodes: readonly ClusterNode[], random: Random, key: string) {
    this.#nodes = nodes;
    this.#random = random;
    this.#key = key;
  }

  async work(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await pause(BETWEEN_MS, undefined, { signal }).catch(() => undefined);
      await this.#ask(pick(this.#random, this.#nodes)).catch(() => null);
    }
  }

  /** All nodes together grant as one limit would: requests in parallel, or node after node. */
  async check(): Promise<void> {
    this.#checks += 1;
    if (this.#checks % 2 === 0) await this.#askAllAtOnce();
    else await this.#askInTurn();
    this.#neverTooMany();
    const kept = performance.now() - 60_000;
    this.#granted = this.#granted.filter(({ answeredMs }) => answeredMs > kept);
  }

  async #askAllAtOnce(): Promise<void> {
    const each = Array.from({ length: PER_MINUTE }, () => this.#nodes).flat();
    const statuses = await Promise.all(each.map((node) => this.#ask(node)));
    const others = statuses.filter((status) => status !== 200 && status !== 429);
    assert.deepEqual(others, [], 'requests are granted, or too many');
  }

  /** Nodes grant what was refilled. In parallel they may lose requests that they reserve ahead. */
  async #askInTurn(): Promise<void> {
    const back = Math.min(PER_MINUTE, (performance.now() - this.#askedMs) * PER_MS);
    let granted = 0;
    for (const node of this.#nodes) {
      let status = 200;
      while (status === 200) {
        status = await this.#ask(node);
        if (status === 200) granted += 1;
      }
      assert.equal(status, 429, 'requests are granted, or too many');
    }
    const least = Math.floor(back) - 1;
    assert.ok(granted >= least, `${granted} requests were granted, ${least} have come back`);
  }

  async #ask(node: ClusterNode): Promise<number> {
    const sentMs = performance.now();
    let status = 0;
    try {
      const answer = await node.get(PATH, this.#key);
      await answer.body?.cancel();
      status = answer.status;
    } finally {
      const answeredMs = performance.now();
      if (status === 200) this.#granted.push({ sentMs, answeredMs });
      this.#askedMs = answeredMs;
    }
    return status;
  }

  /** Checks the rate over every interval between a request and a response. */
  #neverTooMany(): void {
    const bySent = this.#granted.toSorted((a, b) => a.sentMs - b.sentMs);
    const byAnswer = this.#granted.toSorted((a, b) => a.answeredMs - b.answeredMs);
    for (const { sentMs } of bySent) {
      let count = 0;
      for (const it of byAnswer) {
        if (it.sentMs < sentMs) continue;
        count += 1;
        const max = PER_MINUTE + (it.answeredMs - sentMs) * PER_MS;
        const ms = (it.answeredMs - sentMs).toFixed(0);
        assert.ok(count <= max, `${count} requests were granted within ${ms} ms`);
      }
    }
  }
}
