import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { judgeFrames } from '../../testing/stream/frame-judge.ts';
import { FRAME_VECTORS, pingText } from '../../testing/stream/frame-vectors.ts';
import { converse } from '../../testing/stream/raw-conversation.ts';
import { closeFrame, OPCODE, wireFrame } from '../../testing/stream/wire-frame.ts';
import { listen } from '../process/doors/listen.ts';
import { EchoServer } from './echo-server.ts';

async function start(echo: EchoServer): Promise<number> {
  return Number(new URL(await listen(echo.http, '127.0.0.1', 0, { port: '--echo-port' })).port);
}

test('the echo repeats texts and binaries, and meets every frame as the stream does', async () => {
  await using echo = new EchoServer();
  const port = await start(echo);
  const vectors = Object.values(FRAME_VECTORS).flat();
  await Promise.all(
    vectors.map(async ({ name, bytes, isBinary, ...vector }) => {
      const got = await converse({ port, path: '/' }, bytes);
      // Here a binary message is accepted, so the frames behind it count.
      const { close, texts, pings } = isBinary ? judgeFrames(bytes, 'taken') : vector;
      assert.equal(got.close, close, name);
      assert.deepEqual(got.texts, texts, name);
      assert.equal(got.pongs.length, pings.length, name);
    }),
  );
});

test('a binary message comes back as one', async () => {
  await using echo = new EchoServer();
  const payload = Buffer.from([0, 255, 128]);
  const frame = wireFrame({ opcode: OPCODE.binary, payload });
  const bytes = Buffer.concat([frame, closeFrame(1000)]);
  const { others, close } = await converse({ port: await start(echo), path: '/' }, bytes);
  assert.deepEqual(others, [{ opcode: OPCODE.binary, payload }]);
  assert.equal(close, 1000);
});

test('a request without an upgrade is told what the port is for', async () => {
  await using echo = new EchoServer();
  const answer = await fetch(`http://127.0.0.1:${await start(echo)}/`);
  assert.deepEqual([answer.status, answer.headers.get('upgrade')], [426, 'websocket']);
});

test('a peer that sends without reading is not read from, and gets all when it reads', async () => {
  await using echo = new EchoServer();
  const port = await start(echo);
  const sent = 400;
  const frame = wireFrame({ opcode: OPCODE.text, payload: pingText('x', 65_536) });
  const socket = connect(port, '127.0.0.1');
  const head =
    'GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n' +
    'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n';
  socket.pause();
  socket.write(head);
  for (let count = 0; count < sent; count += 1) socket.write(frame);
  // Both kernels are full: the rest stays with the sender.
  let waiting = -1;
  for (let same = 0; same < 200; ) {
    same = socket.writableLength === waiting ? same + 1 : 0;
    waiting = socket.writableLength;
    await turn();
  }
  assert.ok(waiting > 0, `${waiting} bytes wait`);
  socket.write(closeFrame(1000));
  let bytes = 0;
  socket.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
  });
  socket.resume();
  await once(socket, 'close');
  assert.ok(bytes > sent * 65_536, `${bytes} bytes came back`);
});
