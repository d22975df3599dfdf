/**
 * The cost of the client library. Streams: frames of a real day applied to local state, beside bare
 * `JSON.parse` of the same frames. `joined`: one day of footprint until the stream is live, beside
 * `fetch` and `JSON.parse` of the same pages from the same service. And `joined` up to now in a
 * market with hardly a trade, where only a watermark can prove that the page is complete.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { type HistoryRequest, StreamClient, TapeloomClient } from '@tapeloom/client';
import { NO_TRADES, RunningService } from '../../tests/running-service.ts';
import { SERVICE_OF_SOURCES } from '../../tests/tapeloom-program.ts';
import { HistoryProcess } from '../history/history-process.ts';
import { makeTape, newestDays } from '../history/history-tape.ts';
import { loadAverage, median } from '../shared/machine-load.ts';
import { measured } from '../shared/measure.ts';
import type { Bench } from '../shared/report.ts';
import { HandedSocket } from './client-socket.ts';

const TRADES = 500_000;
const ROUNDS = 15;
const FRAMES_MAX = 20_000;
const WARM_UP_ROUNDS = 4;
const SHARE_MIN = 0.6;
const JOINED_MAX = 1.3;
/** How many joins up to now are measured. */
const EDGE_ROUNDS = 60;
const EDGE_P95_MS_MAX = 150;
const EDGE_FROM_MS = 60_000;
const INDICATORS = ['footprint', 'bars'] as const;

interface StreamRow {
  readonly indicator: string;
  readonly frames: number;
  readonly bytesPerFrame: number;
  /** Messages per second. */
  readonly client: number;
  readonly parse: number;
}

interface EdgeRow {
  readonly medianMs: number;
  readonly p95Ms: number;
}

interface JoinedRow {
  readonly pages: number;
  readonly bytes: number;
  readonly joinedMs: number;
  readonly fetchMs: number;
}

export const run: Bench = async () => {
  const data = mkdtempSync(join(tmpdir(), 'tapeloom-bench-'));
  try {
    const tape = await makeTape(data, { root: 'ES', days: 1, tradesPerDay: TRADES });
    await using process = await HistoryProcess.start(data, 1);
    const asked: string[] = [];
    const noting: typeof fetch = (input, init) => {
      asked.push(String(input));
      return fetch(input, init);
    };
    const place = { url: process.url, key: process.keyOf(0) };
    await using client = new TapeloomClient({ ...place, fetch: noting });
    const { from, to } = newestDays(tape, 1);
    const streams: StreamRow[] = [];
    for (const indicator of INDICATORS) {
      console.error(`measuring: a stream of ${indicator}`);
      const request = { indicator, instrument: tape.symbol, from: BigInt(from), to: BigInt(to) };
      streams.push(await measureStream(indicator, await framesOf(client, request)));
    }
    console.error('measuring: joined');
    const asOf = { symbol: tape.symbol, from: BigInt(from) };
    const joined = await measureJoined(client, asked, place.key, asOf);
    console.error('measuring: joined up to now');
    return report(streams, joined, await measureEdge(join(data, 'resting')));
  } finally {
    rmSync(data, { recursive: true });
  }
};

/** The frames of a stream over that day, rebuilt from history. */
async function framesOf(client: TapeloomClient, request: HistoryRequest): Promise<string[]> {
  const frames: string[] = [];
  for await (const entry of client.history({ ...request, snapshot: true, limit: 5_400 })) {
    frames.push(frameOf(entry));
    if (frames.length === FRAMES_MAX) break;
  }
  return frames;
}

function frameOf(entry: object): string {
  const { t, cursor, object, objects, ...rest } = entry as Readonly<Record<string, unknown>>;
  const items = objects === undefined ? {} : { items: objects };
  return JSON.stringify(
    { t, sub: 's1', cursor, ...rest, ...(object as object), ...items },
    (_, it) => (typeof it === 'bigint' ? String(it) : it),
  );
}

async function measureStream(indicator: string, frames: readonly string[]): Promise<StreamRow> {
  const opening = [
    `{"t":"subscribed","sub":"s1","topic":"","instrument":"A","contract":"A","tickSizeNanos":1}`,
    `{"t":"status","sub":"s1","state":"live","lagMs":0}`,
  ];
  const apply = async () => {
    const client = new StreamClient({ key: 'svc_live_x', WebSocket: HandedSocket });
    const subscription = client.subscribe({ indicator, instrument: 'A' });
    await Promise.resolve();
    const socket = HandedSocket.last!;
    for (const frame of opening) socket.hand(frame);
    for (const frame of frames) socket.hand(frame);
    if (subscription.state.cursor !== JSON.parse(frames.at(-1)!).cursor) {
      throw new Error('the client has not taken all frames');
    }
    await client.close();
  };
  const parse = () => {
    let last: unknown;
    for (const frame of frames) last = JSON.parse(frame);
    return last;
  };
  const works = new Map<'client' | 'parse', () => unknown>([
    ['client', apply],
    ['parse', parse],
  ]);
  await measured(WARM_UP_ROUNDS, works);
  const medians = await measured(ROUNDS, works);
  const perSecond = (name: 'client' | 'parse') =>
    (frames.length * 1_000) / medians.get(name)!.cpuMs;
  return {
    indicator,
    frames: frames.length,
    bytesPerFrame: frames.reduce((sum, frame) => sum + frame.length, 0) / frames.length,
    client: perSecond('client'),
    parse: perSecond('parse'),
  };
}

/** Both request the same pages: from the start of the day up to the live stream. */
async function measureJoined(
  client: TapeloomClient,
  asked: string[],
  key: string,
  { symbol, from }: { readonly symbol: string; readonly from: bigint },
): Promise<JoinedRow> {
  const [joined, fetched]: number[][] = [[], []];
  let [pages, bytes] = [0, 0];
  for (let round = -WARM_UP_ROUNDS; round < ROUNDS; round += 1) {
    asked.length = 0;
    const startMs = performance.now();
    await joinedDay(client, symbol, from);
    const middleMs = performance.now();
    const addresses = asked.filter((address) => address.includes('/v1/history?'));
    const read = await fetchedBytes(addresses, key);
    const endMs = performance.now();
    [pages, bytes] = [addresses.length, read];
    if (round < 0) continue;
    joined!.push(middleMs - startMs);
    fetched!.push(endMs - middleMs);
  }
  return { pages, bytes, joinedMs: median(joined!), fetchMs: median(fetched!) };
}

/** Measures against a whole service whose market has hardly a trade. */
async function measureEdge(data: string): Promise<EdgeRow> {
  const service = new RunningService({ data, program: SERVICE_OF_SOURCES, env: NO_TRADES });
  try {
    await service.ready();
    const url = service.output.match(/http:\/\/[\w.]+:\d+/)![0];
    await using client = new TapeloomClient({ url, key: service.printedKeys!.live });
    const taken: number[] = [];
    for (let round = -WARM_UP_ROUNDS; round < EDGE_ROUNDS; round += 1) {
      const startMs = performance.now();
      await joinedDay(client, '6E.c.0', BigInt(Date.now() - EDGE_FROM_MS) * 1_000_000n);
      if (round >= 0) taken.push(performance.now() - startMs);
      // The next join starts at another phase of the source's cycle.
      await setTimeout(20 + 17 * ((round + WARM_UP_ROUNDS) % 11));
    }
    const p95Ms = taken.toSorted((a, b) => a - b)[Math.floor(taken.length * 0.95)]!;
    return { medianMs: median(taken), p95Ms };
  } finally {
    await service.stop('SIGKILL');
  }
}

/** Reads until the stream is live. */
async function joinedDay(client: TapeloomClient, symbol: string, from: bigint): Promise<void> {
  const request = { indicator: 'footprint', instrument: symbol, from, limit: 5_400 } as const;
  const reading = client.joined(request);
  for await (const _update of reading) if (reading.phase === 'live') break;
}

async function fetchedBytes(addresses: readonly string[], key: string): Promise<number> {
  let bytes = 0;
  for (const address of addresses) {
    const answer = await fetch(address, { headers: { authorization: `Bearer ${key}` } });
    const text = await answer.text();
    if (!answer.ok) throw new Error(text);
    bytes += text.length;
    JSON.parse(text);
  }
  return bytes;
}

function report(streams: readonly StreamRow[], joined: JoinedRow, edge: EdgeRow) {
  const share = ({ client, parse }: StreamRow) => client / parse;
  const times = joined.joinedMs / joined.fetchMs;
  const word = (isMet: boolean) => (isMet ? 'met' : 'missed');
  return {
    title: 'The client library, beside bare parsing of the same bytes',
    columns: ['what', 'messages or pages', 'bytes', 'client', 'bare', 'client of bare'],
    rows: [
      ...streams.map((row) => [
        `stream of ${row.indicator}`,
        row.frames,
        `${Math.round(row.bytesPerFrame)} a message`,
        `${Math.round(row.client).toLocaleString('en-US')}/s`,
        `${Math.round(row.parse).toLocaleString('en-US')}/s`,
        `${Math.round(share(row) * 100)} %`,
      ]),
      [
        'joined, a day of footprint',
        joined.pages,
        `${joined.bytes.toLocaleString('en-US')} in all`,
        `${joined.joinedMs.toFixed(1)} ms`,
        `${joined.fetchMs.toFixed(1)} ms`,
        `${times.toFixed(2)} ×`,
      ],
      [
        'joined up to now, a market that rests',
        EDGE_ROUNDS,
        '',
        `median ${edge.medianMs.toFixed(0)} ms`,
        `p95 ${edge.p95Ms.toFixed(0)} ms`,
        '',
      ],
    ],
    notes: [
      `Medians of ${ROUNDS} rounds that take turns: of streams processor time, of joined the clock's.`,
      'A stream: every message that was published, applied to local state; bare: JSON.parse of the same texts.',
      'Joined: a snapshot of the stream, all pages up to it, and the stream again; bare: fetch and JSON.parse of those pages.',
      `Load of the machine: ${loadAverage()}.`,
      ...streams.map(
        (row) =>
          `Target: a stream of ${row.indicator} at ${SHARE_MIN * 100} % of bare parsing or more: ${word(share(row) >= SHARE_MIN)}.`,
      ),
      `Target: joined up to now in at most ${EDGE_P95_MS_MAX} ms at p95: ${word(edge.p95Ms <= EDGE_P95_MS_MAX)}.`,
      `Target: joined in at most ${JOINED_MAX} × the time of bare pages: ${word(times <= JOINED_MAX)}.`,
    ],
    json: { streams, joined, edge },
  };
}
