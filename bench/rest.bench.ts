/**
 * How much of a bare route's throughput is left when every check is on: `GET /v1/usage` and
 * `GET /v1/instruments` with real keys of many accounts, beside bare routes of the same framework, in the
 * same process, that answer with the same bytes. The client is a process of its own; the two take turns.
 */

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { requestsPerSecond } from './http-load.ts';
import type { Bench, BenchReport } from './report.ts';
import type { FromRestServer, ToRestServer } from './rest-wire.ts';

const PATHS = ['/v1/usage', '/v1/instruments'] as const;
const CONNECTIONS = 32;
const ROUNDS = 7;
const ROUND_SECONDS = 1.5;
const WARM_UP_SECONDS = 3;
const SHARE_TARGET = 0.5;

type Ready = FromRestServer & { readonly t: 'ready' };

interface Turn {
  readonly perSecond: number;
  readonly cpuMicroseconds: number;
}

export const run: Bench = async () => {
  const directory = mkdtempSync(join(tmpdir(), 'tapeloom-bench-'));
  const child = fork(join(import.meta.dirname, 'rest-server.ts'), [directory]);
  try {
    const [ready] = (await once(child, 'message')) as [Ready];
    const bytes = new Map<string, number>();
    for (const path of PATHS) bytes.set(path, await handBareAnswer(child, ready, path));
    const turns = new Map<string, Turn[]>();
    for (let round = 0; round <= ROUNDS; round += 1) {
      for (const target of targetsOf(ready)) {
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

interface Target {
  readonly name: string;
  readonly port: number;
  readonly requests: readonly Buffer[];
}

function targetsOf({ port, barePort, keys }: Ready): Target[] {
  return PATHS.flatMap((path) => [
    { name: `bare ${path}`, port: barePort, requests: requestsOf(path, keys) },
    { name: path, port, requests: requestsOf(path, keys) },
  ]);
}

function requestsOf(path: string, keys: readonly string[]): Buffer[] {
  return keys.map((key) =>
    Buffer.from(`GET ${path} HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer ${key}\r\n\r\n`),
  );
}

async function measure(child: ChildProcess, target: Target, seconds: number): Promise<Turn> {
  const before = await ask(child, { t: 'cpu' });
  const perSecond = await requestsPerSecond({ ...target, connections: CONNECTIONS, seconds });
  const cpuMs = (await ask(child, { t: 'cpu' })) - before;
  return { perSecond, cpuMicroseconds: (cpuMs * 1_000) / (perSecond * seconds) };
}

/** Gives the bare route the bytes of the real one; returns how many they are. */
async function handBareAnswer(child: ChildProcess, ready: Ready, path: string): Promise<number> {
  const headers = { authorization: `Bearer ${ready.keys[0]}` };
  const response = await fetch(`http://127.0.0.1:${ready.port}${path}`, { headers });
  const body = await response.text();
  if (response.status !== 200) throw new Error(body);
  await ask(child, { t: 'bare-answer', path, body });
  return Buffer.byteLength(body);
}

async function ask(child: ChildProcess, message: ToRestServer): Promise<number> {
  child.send(message);
  const [answer] = (await once(child, 'message')) as [FromRestServer & { readonly t: 'cpu' }];
  return answer.cpuMs;
}

function report(
  turns: ReadonlyMap<string, readonly Turn[]>,
  bytes: ReadonlyMap<string, number>,
  accounts: number,
): BenchReport {
  const shares = new Map(
    PATHS.map((path) => [path, median(sharesOf(turns.get(path)!, turns.get(`bare ${path}`)!))]),
  );
  const rows = [...turns].map(([name, all]) => [
    name,
    Math.round(median(all.map(({ perSecond }) => perSecond))),
    Math.round(median(all.map(({ cpuMicroseconds }) => cpuMicroseconds))),
    name.startsWith('bare') ? '' : `${(100 * shares.get(name as never)!).toFixed(0)} %`,
  ]);
  return {
    title: 'REST requests with all checks on, beside a bare route',
    columns: ['route', 'requests/s', 'CPU µs each', 'of the bare route'],
    rows,
    notes: [
      `Medians of ${ROUNDS} turns of ${ROUND_SECONDS} s, ${CONNECTIONS} kept connections, ${accounts} accounts with one ` +
        'restricted key each, and no answer but 200.',
      'Bodies: ' +
        `${PATHS.map((path) => `${path} ${bytes.get(path)!.toLocaleString('en')} bytes`).join(', ')}. Processor time is that of the ` +
        "server's process, the accounts' thread included.",
      ...PATHS.map((path) => {
        const share = shares.get(path)!;
        const verdict = share >= SHARE_TARGET ? 'met' : 'missed';
        return `Target: ${path} at ${100 * SHARE_TARGET} % of the bare route or more: ${verdict} (${(100 * share).toFixed(0)} %).`;
      }),
    ],
    json: {
      requestsPerSecond: Object.fromEntries(
        [...turns].map(([name, all]) => [
          name,
          Math.round(median(all.map(({ perSecond }) => perSecond))),
        ]),
      ),
      shareOfBare: Object.fromEntries(shares),
    },
  };
}

/** Turn by turn, so that a busy moment of the machine hits both. */
function sharesOf(real: readonly Turn[], bare: readonly Turn[]): number[] {
  return real.map(({ perSecond }, index) => perSecond / bare[index]!.perSecond);
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1]!;
}
