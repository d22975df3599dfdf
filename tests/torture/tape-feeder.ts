/**
 * The source of the feed: a process that outlives every kill. It never resends an acknowledged
 * offer. Its ledger has one line per acknowledged offer, and at the end the number of distinct
 * valid trades. `node tape-feeder.ts <socket> <ledger> <seed>`; the message `stop` ends it.
 */

import { closeSync, openSync, writeSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { FEEDER_PACE, FeederScript } from './tape-feeder-script.ts';
import { receiveValues, sendValue, type WireAck, type WireOffer } from './tape-wire.ts';

const OFFERS_UNDER_WAY_MAX = 48;
const RECONNECT_MS = 5;

const [socketPath, ledgerPath, seed] = process.argv.slice(2) as [string, string, string];
const ledger = openSync(ledgerPath, 'w');
const script = new FeederScript(Number(seed), FEEDER_PACE);
const underWay = new Map<number, WireOffer>();
let line: Socket | null = null;

process.on('message', (message) => {
  if (message === 'stop') script.stop();
  feed();
});

while (!script.isOver || underWay.size > 0) {
  await talk();
  await wait(RECONNECT_MS);
}
writeSync(ledger, `${JSON.stringify({ offers: script.offers, trades: script.trades })}\n`);
closeSync(ledger);
process.disconnect?.();

async function talk(): Promise<void> {
  const ended = Promise.withResolvers<void>();
  const socket = connect(socketPath);
  socket.on('error', () => {});
  socket.once('close', () => {
    line = null;
    ended.resolve();
  });
  socket.once('connect', () => {
    line = socket;
    for (const offer of underWay.values()) sendValue(socket, offer);
    feed();
  });
  receiveValues<WireAck>(socket, ({ index }) => {
    const offer = underWay.get(index);
    if (offer === undefined) throw new Error(`offer ${index} was acknowledged twice`);
    underWay.delete(index);
    script.count(offer);
    writeSync(ledger, `${index}\n`);
    feed();
    if (script.isOver && underWay.size === 0) socket.end();
  });
  await ended.promise;
}

function feed(): void {
  while (line !== null && underWay.size < OFFERS_UNDER_WAY_MAX) {
    const offer = script.next();
    if (offer === null) return;
    underWay.set(offer.index, offer);
    sendValue(line, offer);
  }
}
