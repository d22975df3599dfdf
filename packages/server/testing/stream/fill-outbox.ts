/** Fills what waits for a reader that stalls, to the byte. */

import type { StallingSocket } from './stalling-socket.ts';

/** Frames of answers to pings; the clock stands still, so an id's length tells the frame's. */
const PONG_BYTES_MIN = 2 + JSON.stringify({ t: 'pong', id: '', ts: '1'.repeat(19) }).length;
const PONG_BYTES_MAX = PONG_BYTES_MIN + 64;

/** Lets exactly this many bytes be answered, in messages that are never skipped. */
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
