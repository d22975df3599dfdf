/**
 * The process to kill: a real tape on the real disk, fed over a socket. It sends an acknowledgement
 * only after the tape has acknowledged the offer. `node tape-ingest.ts <tape root> <socket>`.
 */

import { rmSync } from 'node:fs';
import { createServer } from 'node:net';
import type { EpochNs } from '@tapeloom/core/numbers';
import { NodeDisk } from '@tapeloom/server/platform/disk/node-disk';
import { openTape } from '@tapeloom/server/tape/write/open-tape';
import { SCRIPT_SYMBOLS } from '../../packages/server/testing/tape/feed-script.ts';
import { DATASET } from '../../packages/server/testing/tape/tape-on-sim-disk.ts';
import { receiveValues, sendValue, type WireOffer } from './tape-wire.ts';

const LONG_AFTER = 4_000_000_000_000_000_000n as EpochNs;

const [tapeRoot, socketPath] = process.argv.slice(2) as [string, string];
const tape = await openTape({
  disk: new NodeDisk(),
  tapeRoot,
  dataset: DATASET,
  listed: () => SCRIPT_SYMBOLS,
  now: () => LONG_AFTER,
  onFailure: (error) => {
    throw error;
  },
});

rmSync(socketPath, { force: true });
const server = createServer((socket) => {
  socket.on('error', () => {});
  receiveValues<WireOffer>(socket, ({ index, batches, promise, notes }) => {
    tape.intake.offer(batches, promise, notes).then(
      () => sendValue(socket, { index }),
      (error: unknown) => {
        if (!closing) throw error;
      },
    );
  });
});
server.listen(socketPath, () => process.send?.('ready'));

let closing = false;
process.once('SIGTERM', async () => {
  closing = true;
  server.close();
  await tape.intake.sealed();
  await tape[Symbol.asyncDispose]();
  process.exit(0);
});
