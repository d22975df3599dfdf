/**
 * The share of a bare route's throughput that remains when every check is on: `GET /v1/usage` and
 * `GET /v1/instruments` with real keys of many accounts, beside bare routes of the same framework
 * and process that respond with the same bytes. The client is a separate process; the two take
 * turns.
 */

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Bench, BenchReport } from '../shared/report.ts';
import { HttpLoad } from './http-load.ts';
import type { FromRestServer, ToRestServer } from './rest-wire.ts';

const PATHS = ['/v1/usage', '/v1/instruments'] as const;
const ROUNDS = 11;
const ROUND_SECONDS = 1.5;
/** Until the JIT compiler has finished, also on a busy machine. */
const WARM_UP_SECONDS = 8;
const SHARE_TARGET = 0.55;

type Ready = FromRestServer & { readonly t: 'ready' };
type Cpu = FromRestServer & { readonly t: 'cpu' };

interface Target {
  readonly name: string;
  readonly load: HttpLoad;
}

interface Turn {
  readonly perSecond: number;
  /** Processor time per request: of the serving thread, and of all threads. */
  readonly mainMicroseconds: number;
  readonly allMicroseconds: number;
}

export const run: Bench = async () => {
  const directory = mkdtempSync(join(tmpdir(), 'tapeloom-bench-'));
  const child = fork(new URL('./rest-server.ts', import.meta.url), [directory]);
  try {
    const [ready] = (await once(child, 'message')) as [Ready];
    const bytes = new Map<string, number>();
    for (const path of PATHS) bytes.set(path, await handBareAnswer(child, ready, path));
    using targets = await openTargets(ready);
    const turns = new Map<string, Turn[]>();
    for (let round = 0; round <= ROUNDS; round += 1) {
      for (const target of targets.all) {
        const turn = await measure(child, target, round === 0 ? WARM_UP_SECONDS : ROUND_SECONDS);
        if (round > 0) turns.set(target.name, [...(turns.get(target.name) ?? []), turn]);
      }
    }
    return report(turns, bytes, ready.keys.length);
  } finally {
    child.disconnect();
    await once(child, 'exit');
    rmSync(directory, { recursive: true });
  }
};

async function openTargets({ port, barePort, keys }: Ready) {
  const stack = new DisposableStack();
  const all: Target[] = [];
  for (const path of PATHS) {
    const requests = requestsOf(path, keys);
    const bare = stack.use(await HttpLoad.open(barePort, requests));
    const real = stack.use(await HttpLoad.open(port, requests));
    all.push({ name: `bare ${path}`, load: bare }, { name: path, load: real });
  }
  return { all, [Symbol.dispose]: () => stack.dispose() };
}

function requestsOf(path: string, keys: readonly string[]): Buffer[] {
  return keys.map((key) =>
    Buffer.from(`GET ${path} HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer ${key}\r\n\r\n`),
  );
}

async function measure(child: ChildProcess, target: Target, seconds: number): Promise<Turn> {
  const before = await ask(child, { t: 'cpu' });
  const { answered, seconds: lasted } = await target.load.keepBusy(seconds);
  const after = await ask(child, { t: 'cpu' });
  return {
    perSecond: answered / lasted,
    mainMicroseconds: ((after.mainMs - before.mainMs) * 1_000) / answered,
    allMicroseconds: ((after.allMs - before.allMs) * 1_000) / answered,
  };
}

/** Gives the bare route the bytes of the real route; returns their number. */
async function handBareAnswer(child: ChildProcess, ready: Ready, path: string): Promise<number> {
  const headers = { authorization: `Bearer ${ready.keys[0]}` };
  const response = await fetch(`http://127.0.0.1:${ready.port}${path}`, { headers });
  const body = await response.text();
  if (response.status !== 200) throw new Error(body);
  await ask(child, { t: 'bare-answer', path, body });
  return Buffer.byteLength(body);
}

async function ask(child: ChildProcess, message: ToRestServer): Promise<Cpu> {
  child.send(message);
  const [answer] = (await once(child, 'message')) as [Cpu];
  return answer;
}

function report(
  turns: ReadonlyMap<string, readonly Turn[]>,
  bytes: ReadonlyMap<string, number>,
  accounts: number,
): BenchReport {
  const shares = new Map(
    PATHS.map((path) => {
      const real = turns.get(path)!;
      const bare = turns.get(`bare ${path}`)!;
      // Compares turn by turn, so that a busy moment of the machine hits both.
      const share = (of: (turn: Turn) => number) =>
        median(real.map((turn, index) => of(turn) / of(bare[index]!)));
      return [
        path as string,
        {
          requests: share(({ perSecond }) => perSecond),
          cpu: share(({ mainMicroseconds }) => 1 / mainMicroseconds),
        },
      ];
    }),
  );
  const medianOf = (all: readonly Turn[], of: (turn: Turn) => number) => median(all.map(of));
  const rows = [...turns].map(([name, all]) => [
    name,
    Math.round(medianOf(all, ({ perSecond }) => perSecond)),
    percent(shares.get(name)?.requests),
    medianOf(all, ({ mainMicroseconds }) => mainMicroseconds).toFixed(1),
    percent(shares.get(name)?.cpu),
    medianOf(all, ({ allMicroseconds }) => allMicroseconds).toFixed(1),
  ]);
  return {
    title: 'REST requests with all checks on, beside a bare route',
    columns: ['route', 'requests/s', 'of bare', 'CPU µs, main thread', 'of bare', 'all threads'],
    rows,
    notes: [
      `Medians of ${ROUNDS} turns of ${ROUND_SECONDS} s; ${accounts} accounts, each with one key and one kept connection; no answer but 200.`,
      `Bodies: ${PATHS.map((path) => `${path} ${bytes.get(path)!.toLocaleString('en')} bytes`).join(', ')}.`,
      'Requests/s depend on who else uses the machine and on how fast the client is; processor time for ' +
        'a request on the thread that serves does not.',
      ...PATHS.map((path) => {
        const { requests } = shares.get(path)!;
        const verdict = requests >= SHARE_TARGET ? 'met' : 'missed';
        return `Target: ${path} at ${percent(SHARE_TARGET)} of the bare route's requests/s or more: ${verdict}.`;
      }),
    ],
    json: {
      requestsPerSecond: Object.fromEntries(
        [...turns].map(([name, all]) => [
          name,
          Math.round(medianOf(all, ({ perSecond }) => perSecond)),
        ]),
      ),
      shareOfBare: Object.fromEntries(shares),
    },
  };
}

function percent(share: number | undefined): string {
  return share === undefined ? '' : `${(100 * share).toFixed(0)} %`;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1]!;
}
