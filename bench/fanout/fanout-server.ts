/**
 * The process under the fan-out benchmark; it ends with the bench. Three servers send the same
 * messages. `service`: hub, gateway and accounts as in production; only the engine is played, one
 * prepared flush per turn. `bare`: writes the same prepared bytes, one write per connection and
 * turn. `ws.send`: the `ws` library, one `send` per message and connection. A turn starts when no
 * connection of its server has pending output.
 */

import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { createSessionTable } from '@tapeloom/core/calendar/session-table';
import { dayOf } from '@tapeloom/core/utc-day';
import { Block } from '@tapeloom/server/blocks/block';
import { createSimUniverse } from '@tapeloom/server/markets/sim/sim-universe';
import { createLog } from '@tapeloom/server/platform/log/log';
import { DoorSockets, socketLimits } from '@tapeloom/server/platform/network/door-sockets';
import { AccountServices } from '@tapeloom/server/process/customers/account-services';
import { composeStream } from '@tapeloom/server/process/doors/stream-door';
import type { FlushMessage } from '@tapeloom/server/topics/engine-link';
import { Flush } from '@tapeloom/server/topics/flush';
import { type WebSocket, WebSocketServer } from 'ws';
import { makeAccounts } from '../../tests/account-maker.ts';
import { FanoutPlayer } from './fanout-player.ts';
import type { FanoutPlay, FromFanoutServer, ToFanoutServer } from './fanout-wire.ts';

const [data = '', accountsText = ''] = process.argv.slice(2);
/** The subscription name of all clients. */
const SUB = 'a';

const log = createLog({ level: 'error', readable: true, write: (line) => console.error(line) });
const names = Array.from({ length: Number(accountsText) }, (_, index) => `account ${index}`);
const keys = await makeAccounts(data, names);
const accounts = await AccountServices.open({ data, log });
const { clock } = accounts;

const player = new FanoutPlayer(clock);
const { book } = createSimUniverse({ seed: 1, printsScale: 1 }, dayOf(clock.now()));
const { gateway } = composeStream({
  clock,
  timers: clock,
  accounts,
  market: {
    book: () => book,
    datasets: ['SIM'],
    timeOf: () => 'SIM',
    isStreamed: () => true,
    fullSessions: () => createSessionTable([]),
    enter: () => {},
  },
  engines: [player],
  replays: { open: unasked, locate: unasked },
  sockets: new DoorSockets(socketLimits(20_000)),
  trustedProxies: () => [],
  epochReset: () => null,
  onFault: (error) => log.error({ error }, 'a connection failed'),
});

const service = createServer();
const served = connectionsOf(service);
service.on('upgrade', (request, socket, head) => gateway.handleUpgrade(request, socket, head));

const bare = createServer();
const bareSockets = new Set<Socket>();
bare.on('upgrade', (_request, socket: Socket) => {
  socket.setNoDelay().setTimeout(0);
  socket.write(
    'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n',
  );
  socket.on('error', () => socket.destroy());
  socket.on('close', () => bareSockets.delete(socket));
  bareSockets.add(socket);
});

const plain = createServer();
const plainSockets = connectionsOf(plain);
const webSockets = new WebSocketServer({ server: plain, perMessageDeflate: false });

for (const server of [service, bare, plain]) {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
}
process.on('disconnect', () => process.exit(0));
process.on('message', (message: ToFanoutServer) => {
  if (message.t === 'cpu') tellCpu();
  else void play(message);
});
tell({
  t: 'ready',
  ports: { service: portOf(service), bare: portOf(bare), 'ws.send': portOf(plain) },
  keys,
});

async function play({ target, turns, messagesPerFlush }: FanoutPlay): Promise<void> {
  const flushes = Array.from({ length: turns }, () => player.makeFlush(messagesPerFlush));
  switch (target) {
    case 'service':
      return playTurns(served, flushes, (flush) => player.play(flush));
    case 'bare': {
      const prepared = flushes.map((flush) => framesOf(flush));
      return playTurns(bareSockets, prepared, (bytes) => {
        for (const socket of bareSockets) socket.write(bytes);
      });
    }
    case 'ws.send': {
      const prepared = flushes.map((flush) => textsOf(flush));
      return playTurns(plainSockets, prepared, (texts) => {
        for (const webSocket of webSockets.clients) sendAll(webSocket, texts);
      });
    }
    default:
      target satisfies never;
  }
}

async function playTurns<Turn>(
  sockets: ReadonlySet<Socket>,
  turns: readonly Turn[],
  act: (turn: Turn) => void,
): Promise<void> {
  tellCpu();
  for (const each of turns) {
    act(each);
    await turn();
    for (const socket of sockets) if (socket.writableNeedDrain) await once(socket, 'drain');
  }
}

function sendAll(webSocket: WebSocket, texts: readonly string[]): void {
  for (const text of texts) webSocket.send(text);
}

function framesOf({ block }: FlushMessage): Buffer {
  return new Flush(new Block(block)).framesFor(SUB, 'live')!.bytes;
}

function textsOf({ block }: FlushMessage): string[] {
  const lines = Buffer.from(new Block(block).text).toString('latin1').trimEnd().split('\n');
  return lines.map((line) => line.replace(',', `,"sub":"${SUB}",`));
}

function connectionsOf(server: Server): ReadonlySet<Socket> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  return sockets;
}

function unasked(): never {
  throw new Error('nothing is replayed here');
}

function tellCpu(): void {
  const { user, system } = process.threadCpuUsage();
  tell({ t: 'cpu', cpuMs: (user + system) / 1_000 });
}

function tell(message: FromFanoutServer): void {
  process.send!(message);
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}
