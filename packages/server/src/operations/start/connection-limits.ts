/**
 * How many connections the public port may hold: a fixed number, or what the process's limit on open files leaves after
 * a reserve for the service's own files. The reserve is never lent, so sockets cannot keep the tape from its next day,
 * the accounts from their database, or history from its files.
 */

import { availableParallelism } from 'node:os';
import { computeThreadsFor } from '../../compute/compute-pool.ts';
import { enginesFor } from '../../engine/engine-crew.ts';
import type { Log } from '../../platform/log/log.ts';
import { type SocketLimits, socketLimits } from '../../platform/network/door-sockets.ts';
import { openFilesMax } from '../../platform/open-files.ts';
import { StartRefusedError } from './start-refused-error.ts';

const CONNECTIONS_MAX = 20_000;
/** With fewer, the shares of streams, requests and anonymous clients would be useless. */
const CONNECTIONS_MIN = 64;
/**
 * For the process and its threads, sealing one day while the next is written, the databases, the cache and the
 * operator's port. Some 60 are open after the start.
 */
const FILES_OF_SERVICE = 128;
/** For a thread's event loop (7), and the days that streams warm up from. */
const FILES_PER_ENGINE = 16;
/** For the event loop, and one file for each read that runs (24) or waits for its client (64). */
const FILES_PER_COMPUTE_THREAD = 96;
/** With fewer the operator is warned. */
const CONNECTIONS_PLENTY = 5_000;

export interface MachineLimits {
  /** Null: there is no limit, or it is unknown. */
  readonly openFiles: number | null;
  readonly cores: number;
}

/** The limits of this machine. It logs a warning if they are low. */
export function readConnectionLimits(log: Log): SocketLimits {
  const machine = { openFiles: openFilesMax(), cores: availableParallelism() };
  const limits = connectionLimits(machine);
  const few = fewConnections(limits, machine);
  if (few !== null) log.warn({ openFiles: machine.openFiles, connections: limits.all }, few);
  return limits;
}

/** Throws `StartRefusedError` if the limit on open files is too low for the service to work. */
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

export function fewConnections({ all }: SocketLimits, { openFiles }: MachineLimits): string | null {
  if (all >= CONNECTIONS_PLENTY) return null;
  return `at most ${all} connections, because the process may open only ${openFiles} files (ulimit -n)`;
}
