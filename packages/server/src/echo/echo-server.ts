/**
 * A WebSocket server that repeats every message, with the settings of the stream's sockets, so that an outside
 * conformance suite can test the transport. It knows no account and no data, runs only on request, and is meant for its
 * own machine alone. Nothing is read from a peer that does not read, so its pending output is limited by earlier input.
 */

import type { Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { limitGoodbye, SOCKET_SETTINGS } from '../gateway/connection/socket-settings.ts';
import { createServer } from '../platform/network/node-http.ts';

const CONNECTIONS_MAX = 256;
/** While more than this is pending for a peer, nothing is read from it. */
const WAITING_BYTES_MAX = 262_144;

export class EchoServer implements AsyncDisposable {
  readonly http: Server;
  readonly #webSockets = new WebSocketServer(SOCKET_SETTINGS);
  readonly #sockets = new Set<Duplex>();

  constructor() {
    this.http = createServer((_request, response) => {
      response.writeHead(426, { connection: 'close', upgrade: 'websocket' }).end();
    });
    this.http.maxConnections = CONNECTIONS_MAX;
    this.http.on('upgrade', (request, socket, head) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
      this.#webSockets.handleUpgrade(request, socket, head, (webSocket) => {
        limitGoodbye(socket);
        echo(webSocket);
      });
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.http.closeAllConnections();
    if (!this.http.listening) return;
    await new Promise((resolve) => this.http.close(resolve));
  }
}

function echo(webSocket: WebSocket): void {
  // `ws` has answered a bad frame with its close code already.
  webSocket.on('error', () => {});
  webSocket.on('message', (data, isBinary) => {
    webSocket.send(data, { binary: isBinary }, () => {
      if (webSocket.isPaused && webSocket.bufferedAmount <= WAITING_BYTES_MAX) webSocket.resume();
    });
    if (webSocket.bufferedAmount > WAITING_BYTES_MAX) webSocket.pause();
  });
}
