/** The table of `npm run bench -- studies`: rates, ratios, and which targets they meet or miss. */

import { INDICATORS } from '@tapeloom/core/studies/catalogue';
import type { Measured } from '../shared/measure.ts';
import type { BenchReport } from '../shared/report.ts';
import type { FootprintMemory, SessionBytes } from './footprint-memory.ts';

export const CEILING = 'bare loop (ceiling)';
export const duckDbName = (indicatorId: string) => `DuckDB ${indicatorId}`;

const MILLION = 1_000_000;
const TO_DUCKDB_MIN = 1.2;
const TO_DUCKDB_IDS = ['bars', 'footprint'];
const TO_TARDIS_MIN = 50;
const OF_CEILING_MIN = 0.05;
/** The maximum bytes of an object with its strings and the numbers behind it. */
const OBJECT_BYTES_MAX = 6_000;
/** Half of the smallest heap object: below this average, trades themselves allocate nothing. */
const TRADE_BYTES_MAX = 8;

export interface StudiesResults {
  /** Over the whole tape: the bare loop, indicators by id, queries by `duckDbName`. */
  readonly whole: ReadonlyMap<string, Measured>;
  /** Over the first part: incremental indicators by id; `compute` and `loop` of tardis-dev. */
  readonly onPart: ReadonlyMap<string, Measured>;
  /** How many objects each indicator has over the whole tape. */
  readonly objects: ReadonlyMap<string, number>;
  readonly memory: FootprintMemory;
  readonly trades: number;
  readonly partTrades: number;
  readonly rounds: number;
  readonly partRounds: number;
}

interface Figures {
  readonly id: string;
  readonly settledTradesPerSecond: number;
  readonly ofCeiling: number;
  readonly duckDbTradesPerSecond: number | null;
  readonly toDuckDb: number | null;
  readonly toTardis: number | null;
  readonly incrementalTradesPerSecond: number;
  readonly collectionsPerMillion: number;
  readonly bytesPerTrade: number;
  readonly bytesPerObject: number;
}

export function studiesReport(results: StudiesResults): BenchReport {
  const { whole, onPart, memory, trades, partTrades } = results;
  const studies = INDICATORS.map(({ id }) => figuresOf(id, results));
  const ceiling = perSecond(whole.get(CEILING)!, trades);
  const compute = perSecond(onPart.get('compute')!, partTrades);
  const loop = perSecond(onPart.get('loop')!, partTrades);
  return {
    title: `Studies over ${trades.toLocaleString('en')} simulated trades of ES, one thread`,
    columns: [
      'indicator',
      'settled M trades/s',
      'of ceiling',
      'incremental M/s',
      'DuckDB M/s',
      'to DuckDB',
      'to tardis-dev',
      'GC per M trades',
      'bytes per trade',
      'per object',
    ],
    rows: [
      [CEILING, millions(ceiling), '100 %', '-', '-', '-', '-', '-', '-', '-'],
      ...studies.map(rowOf),
    ],
    notes: [
      ...methodNotes(results),
      `tardis-dev makes ${millions(compute)} M trades/s through compute, as it is documented (the ` +
        `column above), and ${millions(loop)} M when its bar object is called in a plain loop.`,
      memoryNote(memory),
      ...targetNotes(studies, loop),
    ],
    json: {
      trades,
      ceilingTradesPerSecond: Math.round(ceiling),
      tardisComputeTradesPerSecond: Math.round(compute),
      tardisLoopTradesPerSecond: Math.round(loop),
      studies,
      footprintBytes: memory,
    },
  };
}

function figuresOf(id: string, results: StudiesResults): Figures {
  const { whole, onPart, objects, trades, partTrades } = results;
  const own = whole.get(id)!;
  const rate = perSecond(own, trades);
  const query = whole.get(duckDbName(id));
  const compute = perSecond(onPart.get('compute')!, partTrades);
  return {
    id,
    settledTradesPerSecond: Math.round(rate),
    ofCeiling: whole.get(CEILING)!.cpuMs / own.cpuMs,
    duckDbTradesPerSecond: query === undefined ? null : Math.round(perSecond(query, trades)),
    toDuckDb: query === undefined ? null : query.cpuMs / own.cpuMs,
    toTardis: id === 'bars' ? rate / compute : null,
    incrementalTradesPerSecond: Math.round(perSecond(onPart.get(id)!, partTrades)),
    collectionsPerMillion: own.collections / (trades / MILLION),
    bytesPerTrade: own.allocatedBytes / trades,
    bytesPerObject: own.allocatedBytes / objects.get(id)!,
  };
}

function rowOf(study: Figures): (string | number)[] {
  return [
    study.id,
    millions(study.settledTradesPerSecond),
    `${(100 * study.ofCeiling).toFixed(1)} %`,
    (study.incrementalTradesPerSecond / MILLION).toFixed(2),
    study.duckDbTradesPerSecond === null ? '-' : millions(study.duckDbTradesPerSecond),
    study.toDuckDb === null ? '-' : `${study.toDuckDb.toFixed(2)} ×`,
    study.toTardis === null ? '-' : `${study.toTardis.toFixed(0)} ×`,
    study.collectionsPerMillion.toFixed(2),
    study.bytesPerTrade.toFixed(1),
    Math.round(study.bytesPerObject),
  ];
}

function methodNotes({ rounds, partRounds, partTrades }: StudiesResults): string[] {
  return [
    'Default parameters. Rates are trades per second of processor time, all threads of the process ' +
      `counted; each is the median of ${rounds} rounds in which all take turns.`,
    `Incremental: a flush every 10 ms of tape time, every version encoded as JSON; over the first ` +
      `${partTrades.toLocaleString('en')} trades (a session and more), median of ${partRounds} rounds. tardis-dev: ` +
      'the same trades as its own objects, made ahead and not counted.',
    'DuckDB groups only: no extremes of the running delta, no point of control, value area or ' +
      'imbalances; its rows are fetched as column chunks and checked to be as many as ours.',
  ];
}

function memoryNote({ studyAlone, withPublished }: FootprintMemory): string {
  const listed = (sessions: readonly SessionBytes[]) =>
    sessions.map(({ bytesMax }) => kilobytes(bytesMax)).join(', ');
  return (
    'Memory of a running default footprint on ES, the most in each of consecutive sessions: the study ' +
    `alone ${listed(studyAlone)} kB, with all it keeps of the session for snapshots ${listed(withPublished)} kB.`
  );
}

function targetNotes(studies: readonly Figures[], tardisLoop: number): string[] {
  const bars = studies.find(({ id }) => id === 'bars')!;
  const slow = studies.filter(({ ofCeiling }) => ofCeiling < OF_CEILING_MIN);
  const wasteful = studies.filter(
    ({ bytesPerTrade, bytesPerObject }) =>
      bytesPerTrade >= TRADE_BYTES_MAX && bytesPerObject >= OBJECT_BYTES_MAX,
  );
  const toLoop = bars.settledTradesPerSecond / tardisLoop;
  return [
    ...TO_DUCKDB_IDS.map((id) => {
      const { toDuckDb } = studies.find((study) => study.id === id)!;
      return `Target: ${id} at least ${TO_DUCKDB_MIN} × DuckDB: ${verdict(toDuckDb! >= TO_DUCKDB_MIN)}.`;
    }),
    `Target: bars at least ${TO_TARDIS_MIN} × tardis-dev: ${verdict(bars.toTardis! >= TO_TARDIS_MIN)} ` +
      `(${toLoop.toFixed(0)} × its plain loop).`,
    `Target: every study at least 5 % of the ceiling: ${verdict(slow.length === 0, slow)}.`,
    `Target: nothing allocated per trade (less than ${TRADE_BYTES_MAX} bytes, or what its objects take): ` +
      `${verdict(wasteful.length === 0, wasteful)}.`,
  ];
}

function verdict(isMet: boolean, missing: readonly Figures[] = []): string {
  if (isMet) return 'met';
  return missing.length === 0 ? 'missed' : `missed by ${missing.map(({ id }) => id).join(', ')}`;
}

function perSecond({ cpuMs }: Measured, trades: number): number {
  return trades / (cpuMs / 1_000);
}

function millions(tradesPerSecond: number): string {
  return (tradesPerSecond / MILLION).toFixed(1);
}

function kilobytes(bytes: number): string {
  return Math.round(bytes / 1_000).toLocaleString('en');
}
