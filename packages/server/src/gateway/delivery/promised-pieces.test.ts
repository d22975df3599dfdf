/** Output that a connection's subscriptions were promised is sent while the reader reads. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { Rank } from '@tapeloom/core/numbers';
import { KIB } from '@tapeloom/core/units';
import { utcDay } from '@tapeloom/core/utc-day';
import fc from 'fast-check';
import { PacedSocket } from '../../../../../simulation/network/paced-socket.ts';
import { InProcessStream } from '../../../testing/stream/in-process-stream.ts';
import { serverFrames } from '../../../testing/stream/server-frames.ts';
import { openClient, subscribe } from '../../../testing/stream/stream-client.ts';
import { BlockWriter } from '../../blocks/block-writer.ts';
import { Flush } from '../../topics/flush.ts';
import { GatewayCounters } from '../connection/gateway-metrics.ts';
import { SocketWriter } from '../wire/socket-writer.ts';

const DAY = utcDay(20261112);

/** The messages that a sender sends with one permit. */
interface Piece {
  /** The size of each of its messages. */
  readonly sizes: readonly number[];
  /** How many turns of the event loop it takes to come. */
  readonly comesAfter: number;
}

interface Case {
  /** The pieces of each subscription, in the order of its requests. */
  readonly pieces: readonly (readonly Piece[])[];
  /** Bytes that the peer reads in each turn of the event loop, again and again. */
  readonly reads: readonly number[];
  readonly kernelBytes: number;
  /** Sizes of other messages sent meanwhile, one in each turn of the event loop. */
  readonly others: readonly number[];
}

/** A snapshot has at most 512 KiB; a page and a piece of the ring about 64. */
const size = fc.oneof(
  fc.integer({ min: 1, max: 300 }),
  fc.integer({ min: 200 * KIB, max: 512 * KIB }),
  fc.constantFrom(64 * KIB, 256 * KIB - 200, 256 * KIB, 512 * KIB),
);
const smallSizes = fc.array(fc.integer({ min: 1, max: 20 * KIB }), { minLength: 1, maxLength: 6 });
const piece: fc.Arbitrary<Piece> = fc.record({
  sizes: fc.oneof(fc.tuple(size), smallSizes),
  comesAfter: fc.nat(3),
});
const cases: fc.Arbitrary<Case> = fc.record({
  pieces: fc.array(fc.array(piece, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 6 }),
  reads: fc.array(fc.constantFrom(0, 16 * KIB, 64 * KIB, 300 * KIB, 4_096 * KIB), {
    minLength: 1,
    maxLength: 6,
  }),
  kernelBytes: fc.constantFrom(16 * KIB, 256 * KIB, 512 * KIB, 4_096 * KIB),
  others: fc.array(fc.integer({ min: 0, max: 10 * KIB }), { maxLength: 4 }),
});

/** A connection's writer on a socket whose peer reads by a schedule. */
class Line {
  readonly socket: PacedSocket;
  readonly writer: SocketWriter;
  readonly #due: (() => void)[] = [];
  readonly #blocks = new BlockWriter(1_024, 16);
  #rank = 0;

  constructor(kernelBytes: number) {
    this.socket = new PacedSocket(kernelBytes);
    this.writer = new SocketWriter(
      this.socket,
      {
        isOpen: true,
        overflowed: () => assert.fail('a reader that reads is never too slow'),
        peerClosed: () => assert.fail('closed'),
      },
      { counters: new GatewayCounters(), releaseSoon: (it) => this.#due.push(() => it.release()) },
    );
  }

  /** Sends what was written in this turn of the event loop. */
  async endTurn(): Promise<void> {
    await turn();
    for (const release of this.#due.splice(0)) release();
  }

  write(sub: string, sizes: readonly number[]): void {
    for (const bytes of sizes) {
      this.#rank += 1;
      const at = { day: DAY, rank: this.#rank as Rank, k: 1 };
      const data = 'x'.repeat(Math.max(0, bytes - 100));
      const members = `"id":"${this.#rank}","final":false,"data":"${data}"`;
      this.#blocks.add('upsert', false, at, members, 0);
    }
    this.writer.write(sub, 'live', new Flush(this.#blocks.take(DAY)));
  }
}

async function sendAll({ pieces, reads, kernelBytes, others }: Case): Promise<void> {
  const line = new Line(kernelBytes);
  const coming: { turns: number; readonly come: () => void }[] = [];
  for (const [index, own] of pieces.entries()) {
    const rest = [...own];
    const sender = {
      permitted: () => {
        const { sizes, comesAfter } = rest.shift()!;
        const come = () => {
          line.write(`${index}`, sizes);
          line.writer.permit.giveBack(sender);
          if (rest.length > 0) line.writer.permit.request(sender);
        };
        if (comesAfter === 0) come();
        else coming.push({ turns: comesAfter, come });
      },
    };
    line.writer.permit.request(sender);
  }
  const talk = [...others];
  const promised = pieces.flat(2).reduce((sum, { sizes }) => sum + sizes.length, others.length);
  const readsSomething = reads.some((bytes) => bytes > 0) ? reads : [64 * KIB];
  for (let idle = 0, step = 0; idle < 3 * readsSomething.length + 20; step += 1) {
    const before = [line.socket.bytesRead, coming.length, talk.length].join();
    const said = talk.shift();
    if (said !== undefined) line.write('other', [said]);
    for (const it of coming.splice(0)) {
      it.turns -= 1;
      if (it.turns > 0) coming.push(it);
      else it.come();
    }
    await line.endTurn();
    line.socket.readBytes(readsSomething[step % readsSomething.length]!);
    const after = [line.socket.bytesRead, coming.length, talk.length].join();
    idle = before === after ? idle + 1 : 0;
  }
  assert.equal(serverFrames(Buffer.concat(line.socket.taken)).frames.length, promised);
  assert.ok(line.socket.isRead && line.writer.isEmpty && line.writer.takesPieces);
}

test('whatever was promised is sent while the reader reads, in any size, order and speed [SUB-13]', async () => {
  await fc.assert(fc.asyncProperty(cases, sendAll), {
    numRuns: 150,
    examples: [
      [
        {
          pieces: [[{ sizes: [275 * KIB], comesAfter: 1 }], [{ sizes: [1_000], comesAfter: 1 }]],
          reads: [4_096 * KIB],
          kernelBytes: 4_096 * KIB,
          others: [],
        },
      ],
    ],
  });
});

test('behind a snapshot above 256 KiB every other subscription gets its own [SUB-13] [EVT-08]', async () => {
  await using stream = await InProcessStream.start();
  const wide = Array.from({ length: 250 }, (_, level) => ({ price: 100 + level, size: 12_345 }));
  for (let bar = 0; bar < 120; bar += 1) {
    stream.trade(...wide);
    await stream.pass(5_000);
  }
  const all = [
    subscribe('large', { indicator: 'footprint', params: { size: 5, depth: 5_000 } }),
    ...['delta', 'bars', 'vwap'].map((indicator) => subscribe(indicator, { indicator })),
  ];
  // The first finds cold topics, the second warm ones.
  for (let client = 0; client < 2; client += 1) {
    using one = await openClient(stream);
    for (const message of all) one.send(message);
    await one.answered();
    for (let seconds = 0; one.kinds().filter((t) => t === 'snapshot').length < 4; seconds += 1) {
      assert.ok(seconds < 100, `${one.kinds()}`);
      await stream.pass(1_000);
      await one.answered();
    }
    const large = await one.find('snapshot', ({ sub }) => sub === 'large');
    const { length } = JSON.stringify(large);
    assert.ok(length > 256 * KIB, `${length} bytes`);
  }
});
