/** A bare `ws` server of idle WebSockets: it replies to every message with a short one. */

import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { WebSocketServer } from 'ws';

const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false });
server.on('connection', (socket) => socket.on('message', () => socket.send('{"t":"pong"}')));
await once(server, 'listening');
process.on('disconnect', () => process.exit(0));
process.send!((server.address() as AddressInfo).port);
