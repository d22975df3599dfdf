/**
 * Requests to history, its estimate and its exports as customers, faulty programs and attackers
 * send them: valid ones, odd fields, and foreign or invented cursors and tokens.
 */

import type { Random } from '../../simulation/disk/sim-disk.ts';

const PATHS = ['/v1/history', '/v1/history', '/v1/history/estimate', '/v1/export'] as const;
const INSTRUMENTS = ['ESZ6', 'ES.c.0', 'CLF7', 'ESU6', 'esz6', 'NOPE'];
const INDICATORS: readonly (readonly [string, string | null])[] = [
  ['bars', null],
  ['bars', '{"bar":"tick","size":50}'],
  ['footprint', '{"bar":"time","size":300}'],
  ['vwap', '{}'],
  ['delta', null],
  ['large-trades', '{"minSize":10}'],
  ['session-levels', null],
  ['nope', null],
  ['bars', '{"size":0}'],
];
/** The tape covers every range from a start to an end. */
const STARTS = ['2026-11-08', '2026-11-09', '2026-11-10', '2026-11-10T14:45:00Z'];
const ENDS = ['2026-11-10T15:00:00.000000001Z', '2026-11-11', '2026-11-11T15:30:00Z'];
const TIMES = [
  '2026-11-04',
  '2026-11-09',
  '2026-11-10',
  '2026-11-10T14:45:00Z',
  '2026-11-10T15:00:00.000000001Z',
  '2026-11-11T15:55:00Z',
  '2026-10-20',
  '2026-09-11',
  '2026-09-14T15:00:00Z',
  '2026-11-03T23:59:59.999999999Z',
  '2026-12-24',
  '2012-02-29',
  '1794182400000000000',
];
const CURSORS = [
  '20261109.5.1',
  '20261110.0.0',
  '20261110.900.1',
  '20261110.901.0',
  '20261111.899.3',
  '20261112.0.0',
  '20261105.7.1',
  '20261022.5.1',
  '20261103.5.1',
  '20260914.3.1',
];
const ODD_TEXTS = [
  '',
  ' ',
  '0',
  '-1',
  '1.5',
  '1e3',
  'null',
  'NaN',
  'Infinity',
  '\u0000',
  '\ud800',
  '😀'.repeat(20),
  '__proto__',
  '9'.repeat(30),
  '9'.repeat(5_000),
  '20261110.01.0',
  '20261331.1.0',
  '20261110.4294967296.0',
  '2026-02-30',
  '10000-01-01',
  '[]',
  '{',
  '{"size":1e999}',
  '{"__proto__":{}}',
  '['.repeat(3_000),
  `{"x":"${'y'.repeat(6_000)}"}`,
];
const ODD_PAIRS = [
  'x=1',
  'from=2026-11-09',
  'params=%7B%7D',
  'a[b]=c',
  '%zz=1',
  'to=%ff',
  '=',
  'line=3',
];

/** A random address; `tokens` are those of exports that any account started. */
export function historyAddress(random: Random, tokens: readonly string[]): string {
  const path = pick(random, PATHS);
  const pairs =
    path === '/v1/export' && random() < 0.3 ? resuming(random, tokens) : asking(random, path);
  const address = `${path}?${new URLSearchParams(pairs)}`;
  return random() < 0.1 ? `${address}&${pick(random, ODD_PAIRS)}` : address;
}

function asking(random: Random, path: string): [string, string][] {
  const [indicator, params] = pick(random, INDICATORS);
  const pairs: [string, string][] = [
    ['instrument', pick(random, random() < 0.8 ? INSTRUMENTS.slice(0, 2) : INSTRUMENTS)],
    ['indicator', indicator],
    ['from', pick(random, random() < 0.7 ? STARTS : TIMES)],
  ];
  const now = (chance: number, name: string, text: string) => {
    if (random() < chance) pairs.push([name, text]);
  };
  if (params !== null) pairs.push(['params', params]);
  now(0.6, 'to', pick(random, random() < 0.7 ? ENDS : TIMES));
  now(pairs.at(-1)![0] === 'to' ? 0.05 : 0.4, 'untilCursor', pick(random, CURSORS));
  now(0.4, 'mode', random() < 0.5 ? 'live' : 'confirmed');
  now(0.2, 'dataset', random() < 0.8 ? 'SIM' : 'NOPE');
  if (path === '/v1/export') {
    now(0.4, 'format', pick(random, ['ndjson', 'parquet', 'arrow', 'csv']));
  } else {
    now(0.6, 'limit', pick(random, ['1', '7', '1000', '10000', '10001']));
    now(0.2, 'cursor', pick(random, CURSORS));
    now(0.3, 'snapshot', random() < 0.6 ? 'true' : 'false');
  }
  return random() < 0.7 ? pairs : spoilt(random, pairs);
}

function resuming(random: Random, tokens: readonly string[]): [string, string][] {
  const whole = tokens.length === 0 ? 'e30.x' : pick(random, tokens);
  const at = Math.trunc(random() * whole.length);
  const token = pick(random, [
    whole,
    whole,
    whole.slice(0, at),
    `${whole}A`,
    pick(random, ODD_TEXTS),
  ]);
  const pairs: [string, string][] = [['resume', token]];
  if (random() < 0.5) pairs.push(['line', pick(random, ['0', '1', '30', '99999', '-1', 'x'])]);
  return pairs;
}

/** Removes a field, repeats it, or gives it an odd value. */
function spoilt(random: Random, pairs: readonly [string, string][]): [string, string][] {
  const at = Math.trunc(random() * pairs.length);
  const odd: [string, string] = [pairs[at]![0], pick(random, ODD_TEXTS)];
  const dice = random();
  if (dice < 0.2) return pairs.toSpliced(at, 1);
  return dice < 0.3 ? [...pairs, odd] : pairs.with(at, odd);
}

function pick<T>(random: Random, all: readonly T[]): T {
  return all[Math.trunc(random() * all.length)]!;
}
