/**
 * How many connections the public port may hold: a fixed number, or as many as the process's limit on open
 * files leaves when everything the service itself opens is set aside. That reserve is never lent, so sockets
 * cannot keep the tape from its next day, the accounts from their database, or history from its files.
 */

import { availableParallelism } from 'node:os';
import { computeThreadsFor } from '../../compute/compute-pool.ts';
import { enginesFor } from '../../engine/engine-crew.ts';
import type { Log } from '../../platform/log/log.ts';
import { type SocketLimits, socketLimits } from '../../platform/network/door-sockets.ts';
import { openFilesMax } from '../../platform/open-files.ts';
import { StartRefusedError } from './start-refused-error.ts';

const CONNECTIONS_MAX = 20_000;
/** Below this the shares of streams, requests and strangers would be of no use. */
const CONNECTIONS_MIN = 64;
/** The process, the ingest, the accounts and the tables; a day being sealed while the next is written; the
 * databases, the cache and the operator's port. Some 60 are open after the start. */
const FILES_OF_SERVICE = 128;
/** What a thread's event loop needs (7), and the days that streams warm up from. */
const FILES_PER_ENGINE = 16;
/** The event loop, and one file for each read that is at work (24) or kept while nobody pulls it (64). */
const FILES_PER_COMPUTE_THREAD = 96;
/** With fewer an operator should know. */
const CONNECTIONS_PLENTY = 5_000;

export interface MachineLimits {
  /** Null: there is no limit, or nobody knows it. */
  readonly openFiles: number | null;
  readonly cores: number;
}

/** Those of this machine; the log hears of few. */
export function readConnectionLimits(log: Log): SocketLimits {
  const machine = { openFiles: openFilesMax(), cores: availableParallelism() };
  const limits = connectionLimits(machine);
  const few = fewConnections(limits, machine);
  if (few !== null) log.warn({ openFiles: machine.openFiles, connections: limits.all }, few);
  return limits;
}

/** Throws `StartRefusedError` when so few files may be open that the service could not work. */
export function connectionLimits({ openFiles, cores }: MachineLimits): SocketLimits {
  if (openFiles === null) return socketLimits(CONNECTIONS_MAX);
  const reserve =
    FILES_OF_SERVICE +
    FILES_PER_ENGINE * enginesFor(cores) +
    FILES_PER_COMPUTE_THREAD * computeThreadsFor(cores);
  const left = openFiles - reserve;
  if (left < CONNECTIONS_MIN) {
    throw new StartRefusedError(
      `the process may open only ${openFiles} files, but needs ${reserve} for itself and at least ` +
        `${CONNECTIONS_MIN} for connections on a machine with ${cores} cores: raise the limit, with ` +
        '`ulimit -n 65536` in the shell that starts it or `LimitNOFILE=65536` in its systemd unit',
    );
  }
  return socketLimits(Math.min(CONNECTIONS_MAX, left));
}

/** What to tell an operator whose limit makes for few connections; null: nothing. */
export function fewConnections({ all }: SocketLimits, { openFiles }: MachineLimits): string | null {
  if (all >= CONNECTIONS_PLENTY) return null;
  return `at most ${all} connections, for the process may open only ${openFiles} files (ulimit -n)`;
}
