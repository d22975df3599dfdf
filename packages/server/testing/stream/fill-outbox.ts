/** Fills the pending output of a stalled reader to the byte. */

import type { StallingSocket } from './stalling-socket.ts';

/** Sizes of pong frames. The clock stands still, so the id's length determines the frame's. */
const PONG_BYTES_MIN = 2 + JSON.stringify({ t: 'pong', id: '', ts: '1'.repeat(19) }).length;
const PONG_BYTES_MAX = PONG_BYTES_MIN + 64;

/** Makes the server respond with exactly this many bytes, in messages that are never conflated. */
export async function fillOutbox(socket: StallingSocket, bytes: number): Promise<void> {
  const pings: object[] = [];
  for (let rest = bytes; rest > 0; ) {
    const most = rest - PONG_BYTES_MAX >= PONG_BYTES_MIN ? PONG_BYTES_MAX : rest - PONG_BYTES_MIN;
    const pong = rest <= PONG_BYTES_MAX ? rest : most;
    pings.push({ t: 'ping', id: 'x'.repeat(pong - PONG_BYTES_MIN) });
    rest -= pong;
  }
  await socket.send(...pings);
}
