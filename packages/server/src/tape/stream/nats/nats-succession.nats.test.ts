import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { natsServerMissing } from '../../../../testing/tape/find-nats-server.ts';
import { NatsServers } from '../../../../testing/tape/nats-servers.ts';
import { addressOf, makeTape, openTape } from '../../../../testing/tape/nats-tape-rig.ts';
import { createClock } from '../../../platform/system-clock.ts';
import type { FencedWriter } from '../fenced-writer.ts';
import { Succession, type SuccessionHandler } from '../succession.ts';
import type { StoredMessage } from '../tape-stream.ts';
import { askNatsTape } from './nats-admin.ts';
import { connectNats } from './nats-connection.ts';
import type { NatsTape } from './open-nats-tape.ts';

const clock = createClock({ kind: 'system' });
const RECORD_MS = 20;
/** Momentary steps, and the ten seconds of an election of servers, may take long on a busy machine. */
const WAIT_LIMIT_MS = 180_000;

/** A node that appends numbered texts while it leads, and records the handled and the acknowledged messages. */
class Node implements SuccessionHandler, AsyncDisposable {
  readonly texts = new Map<number, string>();
  readonly acknowledged = new Map<number, string>();
  readonly succession: Succession;
  readonly #tape: NatsTape;
  failure: unknown = null;
  role = 'following';

  constructor(tape: NatsTape, node: string, mayLead = true) {
    this.#tape = tape;
    this.succession = new Succession({
      ...{ stream: tape.stream, clock, random: () => 0, node, from: 0, mayLead, handler: this },
    });
    this.succession.run().catch((error: unknown) => {
      this.failure = error;
    });
  }

  message({ sequence, body }: StoredMessage): void {
    assert(!this.texts.has(sequence));
    this.texts.set(sequence, Buffer.from(body).toString());
  }

  state({ role }: { readonly role: string }): void {
    this.role = role;
  }

  async lead(writer: FencedWriter, signal: AbortSignal): Promise<void> {
    this.texts.set(writer.last, '');
    for (let number = 0; !signal.aborted; number++) {
      const text = `${writer.writer} ${number}`;
      const sequence = await writer.append('record', Buffer.from(text));
      this.texts.set(sequence, text);
      this.acknowledged.set(sequence, text);
      await wait(RECORD_MS);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.succession[Symbol.asyncDispose]();
    await this.#tape[Symbol.asyncDispose]();
  }
}

/** Waits until the condition holds; returns the milliseconds. */
async function until(isSo: () => boolean, msMax: number): Promise<number> {
  const start = performance.now();
  while (!isSo()) {
    assert(performance.now() - start < msMax, `not so after ${msMax} ms`);
    await wait(5);
  }
  return performance.now() - start;
}

describe('nodes that share a tape on three servers', { skip: natsServerMissing }, () => {
  test('one appends after the other, through the loss of the one that appends and of a server', async (t) => {
    await using servers = await NatsServers.start({ count: 3 });
    await makeTape(servers, 'shared');
    await using a = new Node(await openTape(servers, 'shared'), 'a');
    await until(() => a.acknowledged.size > 10, WAIT_LIMIT_MS);
    await using b = new Node(await openTape(servers, 'shared'), 'b');
    await using c = new Node(await openTape(servers, 'shared'), 'c', false);
    await until(() => c.texts.size >= a.texts.size - 2 && b.texts.size > 10, WAIT_LIMIT_MS);

    const left = a.succession.leave();
    t.diagnostic(
      `handed over in ${Math.round(await until(() => b.acknowledged.size > 0, WAIT_LIMIT_MS))} ms`,
    );
    await left;
    assert.equal(a.role, 'following');

    const connection = await connectNats(addressOf(servers.urls), 'operator');
    const { stream } = await askNatsTape(connection, 'shared');
    await connection.close();
    const leader = Number(/\d$/.exec(stream?.leader ?? '')![0]);
    await servers.kill(leader);
    const before = b.acknowledged.size;
    // A commit may be in flight when the server stops; the next ones are not.
    const ms = await until(() => b.acknowledged.size > before + 2, WAIT_LIMIT_MS);
    t.diagnostic(`the leader of the stream lost: ${Math.round(ms)} ms without a commit`);
    await servers.startAll();
    await until(() => b.acknowledged.size > before + 20, WAIT_LIMIT_MS);

    // Everything acknowledged to b is on the tape; a, which may no longer append, and c have all of it.
    await b.succession.leave();
    await until(
      () => [a, c].every(({ succession }) => succession.last === b.succession.last),
      WAIT_LIMIT_MS,
    );
    for (const node of [a, b, c]) assert.equal(node.failure, null);
    assert.deepEqual([...a.texts].sort(bySequence), [...c.texts].sort(bySequence));
    assert.deepEqual([...b.texts].sort(bySequence), [...c.texts].sort(bySequence));
    for (const [sequence, text] of [...a.acknowledged, ...b.acknowledged]) {
      assert.equal(c.texts.get(sequence), text);
    }
    const sequences = [...c.texts.keys()].sort((one, other) => one - other);
    assert.deepEqual(
      sequences,
      sequences.map((_, index) => index + 1),
    );
  });

  test('a server that is paused for three seconds costs no record, and a node that is gone is followed by the next', async (t) => {
    await using servers = await NatsServers.start();
    await makeTape(servers, 'one');
    await using a = new Node(await openTape(servers, 'one'), 'a');
    await until(() => a.acknowledged.size > 5, WAIT_LIMIT_MS);
    await using b = new Node(await openTape(servers, 'one'), 'b');
    await until(() => b.texts.size > 5, WAIT_LIMIT_MS);
    servers.pause(0);
    await wait(3_000);
    servers.letGo(0);
    const before = a.acknowledged.size + b.acknowledged.size;
    await until(() => a.acknowledged.size + b.acknowledged.size > before + 5, WAIT_LIMIT_MS);
    const first = a.role === 'leading' ? a : b;
    const next = first === a ? b : a;
    const appended = next.acknowledged.size;
    await first[Symbol.asyncDispose]();
    const ms = await until(() => next.acknowledged.size > appended, WAIT_LIMIT_MS);
    t.diagnostic(`the one that appends is gone: ${Math.round(ms)} ms without a commit`);
    await next.succession.leave();
    for (const [sequence, text] of [...a.acknowledged, ...b.acknowledged]) {
      assert.equal(next.texts.get(sequence), text);
    }
  });
});

function bySequence([one]: readonly [number, string], [other]: readonly [number, string]): number {
  return one - other;
}
