import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { judgeFrames } from '../../../testing/stream/frame-judge.ts';
import {
  FRAME_VECTORS,
  type FrameVector,
  pingText,
} from '../../../testing/stream/frame-vectors.ts';
import { InProcessStream, KEY } from '../../../testing/stream/in-process-stream.ts';
import { type Conversation, converse } from '../../../testing/stream/raw-conversation.ts';
import { closeFrame, OPCODE, wireFrame } from '../../../testing/stream/wire-frame.ts';
import { GatewayCounters } from '../connection/gateway-metrics.ts';

const BEARER = `Authorization: Bearer ${KEY}`;

/** Where the first header of a vector and the first one behind its first text are cut. */
const CUTS = [1, 2, 3, 36, 37, 38, 39, 40, 44];

/** Sends every vector on a connection of its own, once in one piece and once in several. */
async function holds(vectors: readonly FrameVector[]): Promise<void> {
  await using stream = await InProcessStream.start();
  const target = { port: stream.port, headers: [BEARER] };
  for (const manner of [{}, { cuts: CUTS }]) {
    await Promise.all(
      vectors.map(async (vector) => {
        assertOutcome(vector, await converse(target, vector.bytes, manner));
      }),
    );
  }
  const counted = new GatewayCounters();
  for (const { close } of [...vectors, ...vectors]) counted.countClose(close);
  while (stream.gateway.metrics.connections > 0) await turn();
  assert.deepEqual(stream.gateway.metrics.closesTotal, counted.closesTotal);
  assert.deepEqual(stream.faults, []);
}

function assertOutcome({ name, ...vector }: FrameVector, got: Conversation): void {
  assert.equal(got.close, vector.close, name);
  const pongs = got.texts.map((text) => JSON.parse(text) as { t: string; id: string });
  const ids = vector.texts.map((text) => (JSON.parse(text) as { id: string }).id);
  assert.deepEqual(
    pongs.map(({ t, id }) => [t, id]),
    ids.map((id) => ['pong', id]),
    name,
  );
  assert.deepEqual(
    got.pongs.map((pong) => pong.toString('latin1')),
    vector.pings,
    name,
  );
}

test('reserved bits, reserved opcodes and missing masks close with 1002 [CLOSE-02]', () =>
  holds(FRAME_VECTORS.headers));

test('lengths of every form are taken up to 65,536 bytes and close with 1009 beyond [CLOSE-06] [WS-04]', () =>
  holds(FRAME_VECTORS.lengths));

test('fragments count together, control frames pass between them, 1,025 close with 1008 [WS-04] [SEC-15]', () =>
  holds(FRAME_VECTORS.fragments));

test('UTF-8 may be cut anywhere, and invalid UTF-8 closes with 1007, also in fragments [CLOSE-04]', () =>
  holds(FRAME_VECTORS.utf8));

test('control frames are whole and have at most 125 bytes, else 1002 [CLOSE-02]', () =>
  holds(FRAME_VECTORS.controls));

test('a close is answered with its own code, one that is malformed with 1002 or 1007 [CLOSE-01] [CLOSE-02]', () =>
  holds(FRAME_VECTORS.closes));

test('a binary message closes with 1003, whole or in fragments [CLOSE-03]', () =>
  holds(FRAME_VECTORS.binaries));

test('the reference judge of the fuzzing agrees with every vector', () => {
  for (const { name, bytes, ...expected } of Object.values(FRAME_VECTORS).flat()) {
    const verdict = judgeFrames(bytes);
    assert.equal(verdict.close, expected.close, name);
    assert.deepEqual(verdict.texts, expected.texts, name);
    assert.deepEqual(
      verdict.pings.map((ping) => ping.toString('latin1')),
      expected.pings,
      name,
    );
  }
});

test('a close by the client is answered with its reason, and counted with its code [CLOSE-01]', async () => {
  await using stream = await InProcessStream.start();
  const target = { port: stream.port, headers: [BEARER] };
  const got = await converse(target, closeFrame(1000, 'done é'));
  assert.deepEqual([got.close, got.reason], [1000, 'done é']);
  while (stream.gateway.metrics.connections > 0) await turn();
  assert.deepEqual(stream.gateway.metrics.closesTotal, { 1000: 1 });
});

test('no extension is ever agreed on, and a compressed frame closes with 1002 [SEC-15]', async () => {
  await using stream = await InProcessStream.start();
  for (const offer of [
    'permessage-deflate',
    'permessage-deflate; client_max_window_bits; server_no_context_takeover',
    'x-webkit-deflate-frame',
  ]) {
    const headers = [BEARER, `Sec-WebSocket-Extensions: ${offer}`];
    const text = wireFrame({ opcode: OPCODE.text, payload: pingText('x') });
    const plain = await converse(
      { port: stream.port, headers },
      Buffer.concat([text, closeFrame(1000)]),
    );
    assert.match(plain.head, /^HTTP\/1\.1 101 /);
    assert.doesNotMatch(plain.head, /sec-websocket-extensions/i);
    assert.deepEqual([plain.close, plain.texts.length], [1000, 1]);
    // 64 KiB of zeroes, deflated.
    const bomb = Buffer.from('ecc1010d000000c2a0f74f6d0e37a00000000000000000', 'hex');
    const frame = wireFrame({ opcode: OPCODE.text, rsv: 4, payload: bomb });
    assert.equal((await converse({ port: stream.port, headers }, frame)).close, 1002);
  }
});
