/** Raw bytes on a socket: manual handshakes and client frames. */

import { connect, type Socket } from 'node:net';
import { type InProcessStream, KEY } from './in-process-stream.ts';

/** A socket after a manual handshake, to send frames that no library would. */
export async function rawSocket(stream: InProcessStream): Promise<Socket> {
  const socket = connect(stream.port, '127.0.0.1');
  const lines = [
    'GET /v1 HTTP/1.1',
    'Host: localhost',
    'Upgrade: websocket',
    'Connection: Upgrade',
    'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
    'Sec-WebSocket-Version: 13',
    `Authorization: Bearer ${KEY}`,
  ];
  socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  await new Promise<void>((resolve) => socket.once('data', () => resolve()));
  return socket;
}

/** A masked client frame with an all-zero mask, so that its payload stays readable. */
export function clientFrame(firstByte: number, payload: Buffer): Buffer {
  const length = Buffer.alloc(payload.length < 126 ? 1 : payload.length < 65_536 ? 3 : 9);
  if (length.length === 1) length[0] = payload.length;
  else if (length.length === 3) length.writeUInt16BE(payload.length, 1);
  else length.writeUInt32BE(payload.length, 5);
  if (length.length > 1) length[0] = length.length === 3 ? 126 : 127;
  length[0]! |= 0x80;
  return Buffer.concat([Buffer.from([firstByte]), length, Buffer.alloc(4), payload]);
}

/** The close code in the last frame a raw socket receives. */
export async function closeCodeOf(socket: Socket): Promise<number | null> {
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  await new Promise<void>((resolve) => {
    socket.on('data', () => {
      if (Buffer.concat(chunks).includes(0x88)) resolve();
    });
    socket.once('close', () => resolve());
  });
  const bytes = Buffer.concat(chunks);
  const at = bytes.indexOf(0x88);
  return at < 0 ? null : bytes.readUInt16BE(at + 2);
}
