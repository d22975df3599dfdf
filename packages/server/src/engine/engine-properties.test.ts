import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { compareCursors, parseCursor } from '@tapeloom/core/cursor';
import type { EpochNs } from '@tapeloom/core/numbers';
import type { ServerMessage } from '@tapeloom/protocol/server-messages';
import fc from 'fast-check';
import { updatesOf } from '../../testing/stream/block-updates.ts';
import { CONTRACT, decodeFrames, EngineRun, settle } from '../../testing/stream/engine-run.ts';
import { MemoryTape } from '../../testing/tape/memory-tape.ts';
import {
  randomCommits as commits,
  randomTopics as topics,
} from '../../testing/tape/random-commits.ts';

/** A client's state: the objects by id, each in its last version. */
class Client {
  readonly objects = new Map<string, unknown>();
  #cursor = '19700101.0.0';

  take(message: ServerMessage): void {
    if (message.t === 'snapshot') {
      this.objects.clear();
      for (const item of message.items) this.objects.set(item.id, item);
      this.#cursor = message.cursor;
    }
    if (message.t !== 'upsert' && message.t !== 'remove') return;
    if (compare(message.cursor, this.#cursor) <= 0) return;
    this.#cursor = message.cursor;
    const { id, final, ts } = message;
    if (message.t === 'remove') this.objects.delete(id);
    else this.objects.set(id, { id, final, ts, data: message.data });
  }
}

function compare(a: string, b: string): number {
  return compareCursors(parseCursor(a)!, parseCursor(b)!);
}

test('engines that read at different paces publish the same messages [DET-08]', async () => {
  await fc.assert(
    fc.asyncProperty(
      commits,
      topics,
      fc.array(fc.boolean(), { minLength: 40, maxLength: 40 }),
      fc.integer({ min: 1, max: 9 }),
      async (script, topic, pauses, batchRows) => {
        const [steady, hasty] = [
          new MemoryTape(CONTRACT, 5_000),
          new MemoryTape(CONTRACT, batchRows),
        ];
        const [one, other] = [new EngineRun(steady), new EngineRun(hasty)];
        const [first, ...rest] = script;
        for (const [tape, run] of [
          [steady, one],
          [hasty, other],
        ] as const) {
          tape.commit([], first!.promise);
          run.open(topic);
          await settle();
        }
        for (const [index, { trades, promise }] of rest.entries()) {
          steady.commit(trades, promise);
          await settle();
          hasty.commit(trades, promise);
          if (pauses[index]) await settle();
        }
        await settle();
        assert.deepEqual([one.faults, other.faults], [[], []]);
        assert.deepEqual(other.published(), one.published());
        assert.deepEqual(other.snapshot(), one.snapshot());
      },
    ),
    { numRuns: 30 },
  );
});

test('a topic opened at any moment continues exactly like one that ran all along [DET-12]', async () => {
  await fc.assert(
    fc.asyncProperty(commits, topics, fc.nat(), async (script, topic, opensAt) => {
      const tape = new MemoryTape(CONTRACT, 7);
      const [long, late] = [new EngineRun(tape), new EngineRun(tape)];
      tape.commit([], script[0]!.promise);
      long.open(topic);
      await settle();
      for (const [index, { trades, promise }] of script.slice(1).entries()) {
        if (index === opensAt % (script.length - 1)) late.open(topic);
        tape.commit(trades, promise);
        await turn();
      }
      await settle();
      assert.deepEqual([long.faults, late.faults], [[], []]);
      assert.deepEqual(late.snapshot(), long.snapshot());
      const seen = late.published();
      assert.deepEqual(seen, long.published().slice(long.published().length - seen.length));
    }),
    { numRuns: 30 },
  );
});

test('a snapshot and the updates after it give the state of the next snapshot [OBJ-02] [DET-12]', async () => {
  await fc.assert(
    fc.asyncProperty(commits, topics, async (script, topic) => {
      const tape = new MemoryTape(CONTRACT, 100);
      const run = new EngineRun(tape);
      tape.commit([], script[0]!.promise);
      run.open(topic);
      await settle();
      const clients: { readonly client: Client; readonly from: number }[] = [];
      for (const { trades, promise } of script.slice(1)) {
        const client = new Client();
        client.take(run.snapshot());
        clients.push({ client, from: run.flushes().length });
        tape.commit(trades, promise);
        await settle();
      }
      const end = run.snapshot();
      assert.equal(new Set(end.items.map((item) => item.id)).size, end.items.length);
      for (const { client, from } of clients) {
        for (const message of run.flushes().slice(from).flatMap(decodeFrames)) client.take(message);
        for (const item of end.items) assert.deepEqual(client.objects.get(item.id), item);
      }
    }),
    { numRuns: 25 },
  );
});

test('the position told with a pulse lies behind every flush before it and before every later one [DET-10]', async () => {
  await fc.assert(
    fc.asyncProperty(commits, topics, async (script, topic) => {
      const tape = new MemoryTape(CONTRACT, 100);
      const run = new EngineRun(tape);
      tape.commit([], script[0]!.promise);
      run.open(topic);
      await settle();
      const pulses: { readonly position: string; readonly flushes: number }[] = [];
      for (const { trades, promise } of script.slice(1)) {
        tape.commit(trades, promise);
        await settle();
        const position = run.pulse().topics[0]?.position;
        assert.ok(typeof position === 'string');
        assert.equal(run.snapshot().cursor, position);
        pulses.push({ position, flushes: run.flushes().length });
      }
      for (const { position, flushes } of pulses) {
        for (const [index, flush] of run.flushes().entries()) {
          for (const { cursor } of updatesOf(flush.block)) {
            assert.equal(compare(cursor, position) <= 0, index < flushes);
          }
        }
      }
    }),
    { numRuns: 25 },
  );
});

test('a flush has one message for each object, in ascending cursor order [DET-07]', async () => {
  await fc.assert(
    fc.asyncProperty(commits, topics, async (script, topic) => {
      const tape = new MemoryTape(CONTRACT, 100);
      const run = new EngineRun(tape);
      tape.commit([], script[0]!.promise);
      run.open(topic);
      for (const { trades, promise } of script.slice(1)) tape.commit(trades, promise);
      await settle();
      let last = '19700101.0.0';
      for (const { block, position } of run.flushes()) {
        const entries = updatesOf(block);
        assert.equal(new Set(entries.map((entry) => entry.id)).size, entries.length);
        for (const { cursor } of entries) {
          assert.ok(compare(cursor, last) > 0, `${cursor} after ${last}`);
          last = cursor;
        }
        assert.ok(compare(position, last) >= 0);
      }
    }),
    { numRuns: 30 },
  );
});

test('a delayed topic publishes the very messages of the undelayed one, later [PLAN-02]', async () => {
  await fc.assert(
    fc.asyncProperty(commits, topics, async (script, topic) => {
      const tape = new MemoryTape(CONTRACT, 100);
      const run = new EngineRun(tape);
      const start = script[0]!.promise;
      tape.commit([], start);
      run.open(topic, 1);
      run.open(topic, 2, 600);
      await settle();
      for (const { trades, promise } of script.slice(1)) {
        tape.commit(trades, promise);
        await settle();
      }
      const end = script.at(-1)!.promise;
      const undelayed = run.published(1);
      assert.ok(run.published(2).length <= undelayed.length);
      // The watermark alone lets the delayed topic see trades of ten minutes ago.
      tape.commit([], (end + 600_000_000_000n) as EpochNs);
      await settle();
      const sameTime = new EngineRun(tape);
      sameTime.open(topic, 1, 600);
      await settle();
      assert.deepEqual(run.snapshot(2), sameTime.snapshot(1));
      const later = run.published(2);
      assert.deepEqual(later, run.published(1).slice(0, later.length));
    }),
    { numRuns: 30 },
  );
});
