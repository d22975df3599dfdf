/** Waits for states that nodes reach by themselves. */

import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { WAIT_LIMIT_MS } from '../running-service.ts';
import type { ClusterNode } from './cluster-node.ts';

const LOOK_MS = 50;

/** Retries until `holds` resolves; after the deadline it rejects with the last error. */
export async function until(holds: () => Promise<void> | void): Promise<void> {
  const deadline = performance.now() + WAIT_LIMIT_MS;
  for (;;) {
    try {
      await holds();
      return;
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await pause(LOOK_MS);
    }
  }
}

/** Resolves when requests with this key get this status. */
export async function answers(node: ClusterNode, key: string, status: number): Promise<void> {
  await until(async () => {
    const answer = await node.get('/v1/instruments', key);
    assert.equal(answer.status, status, node.name);
  });
}
