/**
 * Texts as customers, faulty programs and attackers send them on the stream: valid messages,
 * messages with an odd field, and JSON or nearly JSON. The same random numbers give the same texts.
 */

import type { Random } from '../../simulation/disk/sim-disk.ts';

const PING_ID_BYTES_MAX = 64;
const TEXT_BYTES_MAX = 65_536;
const KINDS = ['ping', 'subscribe', 'unsubscribe', 'auth', 'fly', '', 'PING', 'constructor'];
const NAMES = ['t', 'sub', 'id', 'instrument', 'indicator', 'params', 'mode', 'from', 'token'];
const ODD_NAMES = ['__proto__', 'constructor', 'toString', '', 'a/b~c', 'é', '\u0000'];
const INSTRUMENTS = ['BTC.c.0', 'ES.c.0', 'AA', 'A.c.0', 'NOPE', ''];
const INDICATORS = ['bars', 'footprint', 'large-trades', 'nope', '__proto__'];
const ODD_VALUES: readonly unknown[] = [
  null,
  true,
  0,
  -0,
  1.5,
  1e308,
  9_007_199_254_740_992,
  '',
  ' ',
  'x'.repeat(65),
  'é'.repeat(33),
  '\ud800',
  '😀',
  '20261113.48211.1',
  '99999999.0.0',
  'live',
  'confirmed',
  [],
  {},
  [[]],
  { cursor: '1.2.3' },
  { cursor: '20261113.0.0' },
  { time: 'yesterday' },
  { time: '1' },
];
const NEARLY_JSON = [
  '',
  ' ',
  '{',
  '}',
  '[1,',
  '{"t":}',
  "{'t':'ping'}",
  'nul',
  '1e',
  '"',
  '\ufeff{}',
];

/** A text of any kind; `isSubscribing` allows real subscriptions. */
export function clientText(random: Random, isSubscribing: boolean): string {
  const dice = random();
  if (dice < 0.4)
    return JSON.stringify({ t: 'ping', ...(random() < 0.8 ? { id: pingId(random) } : {}) });
  if (dice < 0.5)
    return JSON.stringify(isSubscribing ? subscription(random) : { t: 'auth', token: 'x' });
  if (dice < 0.7) return JSON.stringify(oddMessage(random));
  if (dice < 0.8) return JSON.stringify(value(random, 0));
  if (dice < 0.85) return pick(random, NEARLY_JSON);
  if (dice < 0.9) return damaged(random, JSON.stringify(oddMessage(random)));
  if (dice < 0.997) return JSON.stringify({ t: 'unsubscribe', sub: `s${whole(random, 4)}` });
  return long(random);
}

/** The ids of the `pong`s owed for these texts, in order; undefined for a `ping` without id. */
export function pongsOwed(texts: readonly string[]): readonly unknown[] {
  const ids: unknown[] = [];
  for (const text of texts) {
    const message = parsed(text);
    if (typeof message !== 'object' || message === null || Array.isArray(message)) continue;
    const { t, id, ...others } = message as Record<string, unknown>;
    if (t !== 'ping' || Object.keys(others).length > 0 || Object.hasOwn(message, '__proto__'))
      continue;
    const isText = typeof id === 'string' && Buffer.byteLength(id) <= PING_ID_BYTES_MAX;
    if (id === undefined || isText || Number.isSafeInteger(id)) ids.push(id);
  }
  return ids;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function pingId(random: Random): string | number {
  return random() < 0.5 ? whole(random, 1e9) : 'é'.repeat(whole(random, 33));
}

function subscription(random: Random): object {
  return {
    t: 'subscribe',
    sub: `s${whole(random, 4)}`,
    instrument: pick(random, INSTRUMENTS),
    indicator: pick(random, INDICATORS),
    ...(random() < 0.2 ? { mode: 'confirmed' } : {}),
    ...(random() < 0.2 ? { params: value(random, 6) } : {}),
    ...(random() < 0.1 ? { from: pick(random, ODD_VALUES) } : {}),
  };
}

/** Random fields of any message with random values; never a valid message that costs much. */
function oddMessage(random: Random): object {
  const count = whole(random, 5);
  const fields = Array.from({ length: count }, () => {
    const name = pick(random, random() < 0.8 ? NAMES : ODD_NAMES);
    return [name, random() < 0.3 ? value(random, 5) : pick(random, ODD_VALUES)];
  });
  return Object.fromEntries([['t', pick(random, KINDS)], ...fields]);
}

function value(random: Random, depth: number): unknown {
  const dice = random();
  if (depth > 12 || dice < 0.4) return pick(random, ODD_VALUES);
  const count = whole(random, 4);
  if (dice < 0.6) return Array.from({ length: count }, () => value(random, depth + 1));
  const entries = Array.from({ length: count }, () => [
    pick(random, ODD_NAMES),
    value(random, depth + 1),
  ]);
  return Object.fromEntries(entries);
}

function damaged(random: Random, text: string): string {
  const at = whole(random, text.length);
  return text.slice(0, at) + pick(random, ['', '"', '}', '\\', '\\u12', ',']) + text.slice(at + 1);
}

/** A text of about the maximum length, some as deeply nested as possible. */
function long(random: Random): string {
  const bytes = TEXT_BYTES_MAX - whole(random, 3);
  if (random() < 0.3) return '['.repeat(bytes);
  if (random() < 0.3) return `${'{"a":'.repeat(9_000)}0${'}'.repeat(9_000)}`;
  return '{"t":"ping"}'.padEnd(bytes);
}

function whole(random: Random, below: number): number {
  return Math.trunc(random() * below);
}

function pick<T>(random: Random, all: readonly T[]): T {
  return all[whole(random, all.length)]!;
}
