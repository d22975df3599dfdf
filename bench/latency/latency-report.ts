/** The turns of the latency benchmark as a table, with a verdict. */

import { median } from '../shared/machine-load.ts';
import type { BenchReport } from '../shared/report.ts';
import type { BareTurn } from './bare-turn.ts';
import type { Distribution, LatencySplit } from './latency-split.ts';

/** The maximum of everything but waiting, over the time of the same bare writes. */
const BARE_TARGET = 2;

export interface Turn extends BareTurn {
  readonly split: LatencySplit;
  readonly tradesPerSecond: number;
  /** Processor cores that the server's process used. */
  readonly cores: number;
}

export interface Turns {
  readonly turns: readonly Turn[];
  readonly turnSeconds: number;
  readonly connections: number;
  readonly topics: number;
  /** Connections that the server has closed. */
  readonly closed: number;
  readonly timerLateP99Ms: number;
  /** Before and after the run. */
  readonly loads: readonly [number, number];
}

export function latencyReport(measured: Turns): BenchReport {
  const { turns, connections, topics, closed, timerLateP99Ms, loads } = measured;
  const middle = (of: (turn: Turn) => number) => median(turns.map(of));
  const times = {
    totalMs: middles(turns, ({ split }) => split.totalMs),
    waitingMs: middles(turns, ({ split }) => split.waitingMs),
    elseMs: middles(turns, ({ split }) => split.elseMs),
    closingMs: middles(turns, ({ split }) => split.closingMs),
    deliveringMs: middles(turns, ({ split }) => split.deliveringMs),
    bareMs: middles(turns, ({ ms }) => ms),
  };
  const found = {
    tradesPerSecond: Math.round(middle((turn) => turn.tradesPerSecond)),
    messages: turns.reduce((sum, { split }) => sum + split.messages, 0),
    ...times,
    elseP99ToBare: middle(({ split, ms }) => split.elseMs.p99 / ms.p99),
    elseP99ToBareByTurn: turns.map(({ split, ms }) => split.elseMs.p99 / ms.p99),
    bareRoundMs: middle((turn) => turn.roundMs),
    timerLateP99Ms,
    serverCores: middle((turn) => turn.cores),
  };
  return {
    title: `Trade accepted to message received, ${connections.toLocaleString('en')} connections on ${topics} topics`,
    columns: ['milliseconds', 'p50', 'p90', 'p99', 'p99.9', 'max'],
    rows: [
      row('in all', times.totalMs),
      row('waiting for the flush step', times.waitingMs),
      row('everything else', times.elseMs),
      row('  until the flush is closed', times.closingMs),
      row('  computing and delivering', times.deliveringMs),
      row('bare writes at the same edges', times.bareMs),
    ],
    notes: notesOf(measured, found),
    json: { connections, topics, ...found, closed, loadAverage: loads },
  };
}

interface Found {
  readonly tradesPerSecond: number;
  readonly messages: number;
  readonly elseMs: Distribution;
  readonly elseP99ToBare: number;
  readonly elseP99ToBareByTurn: readonly number[];
  readonly bareRoundMs: number;
  readonly serverCores: number;
}

function notesOf({ turns, turnSeconds, closed, timerLateP99Ms, loads }: Turns, found: Found) {
  const { elseMs, elseP99ToBare, elseP99ToBareByTurn, bareRoundMs } = found;
  const verdict = elseP99ToBare <= BARE_TARGET ? 'met' : 'missed';
  return [
    `Medians of ${turns.length} turns of ${turnSeconds} s, ${found.messages.toLocaleString('en')} messages in all, ` +
      `${found.tradesPerSecond.toLocaleString('en')} trades/s, each connection on one topic. A trade is accepted when it is on disk.`,
    'Waiting ends at the edge of the flush: every 20 ms of tape time, longer steps for large objects, each topic at its own phase. ' +
      'A flush is closed by the next trade or promise on disk. ' +
      "Everything else includes the reader's process, on the same machine, which reads into one memory for all its sockets.",
    `The server's process took ${found.serverCores.toFixed(2)} cores. ` +
      `A timer of this process was up to ${timerLateP99Ms.toFixed(1)} ms late in 99 % of all cases.`,
    'Bare writes: after each turn a loop in the same thread writes as many bytes to as many sockets at the edges of the same flushes, and does nothing else; ' +
      'they are read by the same process in the same way. Their time begins at the edge, or later by as much as a timer was late.',
    `Target, on a quiet machine: everything else p99 at most ${BARE_TARGET} times that of the bare writes: ${verdict} ` +
      `(${elseP99ToBare.toFixed(2)}, the median of ${elseP99ToBareByTurn.map((ratio) => ratio.toFixed(2)).join(', ')}, turn by turn); ` +
      `load average ${loads[0]} before, ${loads[1]} after.`,
    `The bare loop is busy for ${bareRoundMs.toFixed(1)} ms with one message to each connection, whenever they are read; ` +
      `everything else p99 is ${(elseMs.p99 / bareRoundMs).toFixed(2)} times that.`,
    ...(closed > 0 ? [`${closed} connections were closed by the server.`] : []),
  ];
}

function middles(turns: readonly Turn[], of: (turn: Turn) => Distribution): Distribution {
  const middle = (name: keyof Distribution) => median(turns.map((turn) => of(turn)[name]));
  return {
    p50: middle('p50'),
    p90: middle('p90'),
    p99: middle('p99'),
    p999: middle('p999'),
    max: middle('max'),
  };
}

function row(what: string, { p50, p90, p99, p999, max }: Distribution): readonly string[] {
  return [what, ...[p50, p90, p99, p999, max].map((ms) => ms.toFixed(1))];
}
