/** Connections that observe a node: one subscription each, which is live when it is opened. */

import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import {
  type StreamMessage,
  type TestSubscriber,
  WAIT_LIMIT_MS,
  within,
} from '../running-service.ts';
import type { ClusterNode } from './cluster-node.ts';

const INSTRUMENT = 'BTC.c.0';
/** A node that cannot reach the tape sends `stale` soon, and `down` after 15 s. */
const DOWN_NOT_BEFORE_MS = 12_000;
const LOOK_MS = 50;
const PING_MS = 10_000;
/** Messages with a new cursor. */
const PLACES: readonly string[] = ['upsert', 'remove', 'hb'];
const FURTHER_WITHIN_MS = 60_000;
/** Messages to show of a stream without progress. */
const LAST_SHOWN = 6;
const SHOWN_MAX = 2_000;

export interface Probe {
  readonly node: ClusterNode;
  readonly subscriber: TestSubscriber;
}

export async function openProbes(
  nodes: readonly ClusterNode[],
  key: string,
): Promise<readonly Probe[]> {
  return await Promise.all(
    nodes.map(async (node) => {
      const subscriber = node.connect(key);
      const subscribe = { t: 'subscribe', sub: 'p', instrument: INSTRUMENT, indicator: 'bars' };
      await subscriber.send(subscribe);
      const open = subscriber.first(({ t, state }) => t === 'status' && state === 'live');
      const refused = subscriber.closed.then((close) =>
        assert.fail(`${node.name} refused a stream: ${JSON.stringify(close)}`),
      );
      refused.catch(() => undefined);
      await within(WAIT_LIMIT_MS, `a stream of ${node.name}`, Promise.race([open, refused]));
      // The server closes a connection that is silent for 30 s.
      const pinging = setInterval(() => void subscriber.send({ t: 'ping' }), PING_MS);
      void subscriber.closed.then(() => clearInterval(pinging));
      return { node, subscriber };
    }),
  );
}

export async function closeProbes(probes: readonly Probe[]): Promise<void> {
  await Promise.all(probes.map(({ subscriber }) => subscriber.close()));
}

/** Every stream gets `stale`, and later `down`, but not too early. */
export async function saysDown(probes: readonly Probe[]): Promise<void> {
  const startMs = performance.now();
  await Promise.all(
    probes.map(async ({ node, subscriber }) => {
      const says = async (state: string) =>
        await within(
          WAIT_LIMIT_MS,
          `${state} by ${node.name}`,
          subscriber.first((message) => message.t === 'status' && message.state === state),
        );
      await says('stale');
      await says('down');
      const ms = performance.now() - startMs;
      assert.ok(ms > DOWN_NOT_BEFORE_MS, `${node.name} said down after ${ms.toFixed(0)} ms`);
    }),
  );
}

/** Every stream is live again without a reset; closes the probes. */
export async function saysLive(probes: readonly Probe[]): Promise<void> {
  for (const { node, subscriber } of probes) {
    const isBack = () => {
      const down = subscriber.messages.findLastIndex(isState('down'));
      return subscriber.messages.findLastIndex(isState('live')) > down;
    };
    const deadline = performance.now() + WAIT_LIMIT_MS;
    while (!isBack() && performance.now() < deadline) await pause(LOOK_MS);
    assert.ok(isBack(), `${node.name} is not live ${WAIT_LIMIT_MS} ms after its line was healed`);
    assert.ok(!subscriber.messages.some(({ t }) => t === 'reset'), `${node.name} sent a reset`);
  }
  await closeProbes(probes);
}

/** Every stream gets a new cursor, and none was reset. */
export async function goesOn(probes: readonly Probe[]): Promise<void> {
  await Promise.all(
    probes.map(async ({ node, subscriber }) => {
      const { messages } = subscriber;
      const before = messages.length;
      const deadline = performance.now() + FURTHER_WITHIN_MS;
      while (!messages.slice(before).some(({ t }) => PLACES.includes(t))) {
        const closed = await Promise.race([subscriber.closed, pause(0, null)]);
        assert.equal(closed, null, `${node.name} closed a stream: ${JSON.stringify(closed)}`);
        if (performance.now() > deadline) {
          const last = messages.slice(-LAST_SHOWN).map((message) => JSON.stringify(message));
          assert.fail(`${node.name} sends nothing new: ${last.join('\n').slice(0, SHOWN_MAX)}`);
        }
        await pause(LOOK_MS);
      }
      assert.ok(!messages.some(({ t }) => t === 'reset'), `${node.name} sent a reset`);
    }),
  );
}

/** While PostgreSQL is away streams continue, and new clients are rejected for the moment. */
export async function streamsStayWithoutAccounts(
  probes: readonly Probe[],
  key: string,
): Promise<void> {
  await Promise.all(
    probes.map(async ({ node, subscriber }) => {
      const before = subscriber.messages.length;
      const refused = node.connect(key).closed;
      const { code } = await within(WAIT_LIMIT_MS, `a refusal by ${node.name}`, refused);
      assert.equal(code, 1013, `${node.name} closed a new connection with ${code}`);
      const asked = await node.get('/v1/keys', key);
      assert.equal(asked.status, 503, `${node.name} answered ${asked.status}`);
      const goesOn = async () => {
        while (subscriber.messages.length <= before) await pause(LOOK_MS);
      };
      await within(WAIT_LIMIT_MS, `the next message of ${node.name}`, goesOn());
      const isClosed = await Promise.race([subscriber.closed.then(() => true), pause(0, false)]);
      assert.ok(!isClosed, `${node.name} closed a stream`);
    }),
  );
}

function isState(state: string): (message: StreamMessage) => boolean {
  return (message) => message.t === 'status' && message.state === state;
}
