/** The protocol between the feeder and the ingest process: a length, then a serialised value. */

import type { Socket } from 'node:net';
import { deserialize, serialize } from 'node:v8';
import type { ScriptedOffer } from '../../packages/server/testing/tape/feed-script.ts';

export interface WireOffer extends ScriptedOffer {
  readonly index: number;
}

export interface WireAck {
  readonly index: number;
}

const LENGTH_BYTES = 4;

export function sendValue(socket: Socket, value: WireOffer | WireAck): void {
  const body = serialize(value);
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32LE(body.length);
  socket.write(Buffer.concat([length, body]));
}

/** Calls `receive` with every complete value; an incomplete one at the end is dropped. */
export function receiveValues<T>(socket: Socket, receive: (value: T) => void): void {
  let rest: Buffer = Buffer.alloc(0);
  socket.on('data', (chunk: Buffer) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let at = 0;
    while (rest.length - at >= LENGTH_BYTES) {
      const end = at + LENGTH_BYTES + rest.readUInt32LE(at);
      if (end > rest.length) break;
      receive(deserialize(rest.subarray(at + LENGTH_BYTES, end)) as T);
      at = end;
    }
    rest = rest.subarray(at);
  });
}
