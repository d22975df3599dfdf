/**
 * Requests as customers, faulty programs and attackers send them: valid ones, valid ones with
 * something broken, and noise. The same random numbers give the same requests.
 */

import type { RestRequest } from '../../packages/server/testing/rest/rest-service.ts';
import type { Random } from '../../simulation/disk/sim-disk.ts';
import { historyAddress } from './rest-history.ts';

export interface FuzzRequest {
  readonly method: string;
  readonly url: string;
  readonly request: RestRequest;
}

/** The caller of a request, and the ids and tokens that requests may name. */
export interface Crowd {
  readonly random: Random;
  readonly now: bigint;
  /** The text behind `Bearer `, or null for none. */
  readonly key: string | null;
  readonly address: string;
  /** Ids of keys of the caller's account and of others. */
  readonly ids: readonly string[];
  /** Tokens of exports that any account started. */
  readonly tokens: readonly string[];
}

type Body = Record<string, unknown>;

/** The share of history, estimates and exports among valid requests. */
const HISTORY_SHARE = 0.4;

const METHODS = ['GET', 'POST', 'DELETE', 'HEAD', 'OPTIONS', 'PUT', 'PATCH', 'QUERY', 'PROPFIND'];
const TYPES = [
  'application/json',
  'application/json; charset=utf-8',
  'APPLICATION/JSON',
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/',
  'json',
  ';',
];
const ODD_VALUES: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1.5,
  1e21,
  604_801,
  '',
  ' ',
  'x'.repeat(65),
  '\u0000',
  '\ud800',
  '😀'.repeat(64),
  '__proto__',
  '-1',
  '1.5',
  '99999999999999999999',
  '2027-01-01',
  [],
  {},
  [[]],
  ['x', 7, null],
  { length: 1 },
];
const ODD_NAMES = ['extra', '__proto__', 'constructor', 'toString', '', 'a/b~c', 'key', 'state'];
const INSTRUMENTS = ['ESZ6', 'ES.c.0', 'NQZ6', 'ESH7', 'BTC.c.0', 'esz6', 'NOPE', ''];
const RANGES = ['10.0.0.0/8', '203.0.113.7', '2001:db8::/32', '10.0.0.0/33', '300.1.1.1', '10'];
const SCOPES = ['stream', 'history', 'export', 'keys', 'fly'];
const ODD_PATHS = [
  '/',
  '/v1',
  '/v1/',
  '/v1//keys',
  '/v2/keys',
  '/v1/KEYS',
  '/v1/keys/',
  '/v1/%zz',
  '/v1/%00',
  '/v1/..%2f..%2fetc/passwd',
  '/v1/history?instrument=ESZ6',
  '/v1/export',
  '/v1/offers',
  '/v1/portal/session',
  `/v1/${'x'.repeat(3_000)}`,
  '/v1/keys/a/b/rotate',
  '/v1/keys//rotate',
  '/v1/usage;x=1',
  '/v1/usage%3Fx=1',
];
const QUERIES = ['x=1', 'dataset=SIM', 'dataset=NOPE', 'dataset=', 'dataset=SIM&dataset=SIM'];
const ODD_QUERIES = ['__proto__=1', 'a[b]=c', '%zz', '&&&', '=', 'dataset[]=SIM', 'q=%F0%9F'];

export function fuzzRequest(crowd: Crowd): FuzzRequest {
  const { random } = crowd;
  const sound = soundRequest(crowd);
  const dice = random();
  if (dice < 0.4) return sound;
  return dice < 0.85 ? brokenRequest(crowd, sound) : noise(crowd);
}

function soundRequest(crowd: Crowd): FuzzRequest {
  const { random, ids, tokens } = crowd;
  if (random() < HISTORY_SHARE) return from(crowd, 'GET', historyAddress(random, tokens));
  const id = ids.length === 0 ? 'key_unknown' : pick(random, ids);
  switch (Math.trunc(random() * 9)) {
    case 0:
      return from(crowd, 'GET', '/v1/usage');
    case 1:
      return from(crowd, 'GET', random() < 0.5 ? '/v1/instruments' : '/v1/instruments?dataset=SIM');
    case 2:
      return from(crowd, 'GET', '/v1/keys');
    case 3:
      return from(crowd, 'GET', '/v1/status');
    case 4:
      return from(crowd, 'HEAD', '/v1/indicators');
    case 5:
      return from(crowd, 'POST', '/v1/stream-tokens');
    case 6:
      return from(crowd, 'POST', '/v1/keys', newKey(crowd));
    case 7: {
      const gracePeriodSeconds = pick(random, [0, 1, 60, 604_800]);
      return from(crowd, 'POST', `/v1/keys/${id}/rotate`, { gracePeriodSeconds });
    }
    default:
      return from(crowd, 'DELETE', `/v1/keys/${id}`);
  }
}

function newKey({ random, now }: Crowd): Body {
  const some = <T>(all: readonly T[], most: number) => {
    const count = 1 + Math.trunc(random() * most);
    return Array.from({ length: count }, () => pick(random, all));
  };
  return {
    name: 'robot',
    environment: random() < 0.8 ? 'live' : 'test',
    scopes: some(SCOPES.slice(0, 4), 4),
    ...(random() < 0.3 ? { instruments: some(INSTRUMENTS.slice(0, 5), 4) } : {}),
    ...(random() < 0.2 ? { allowedIps: some(RANGES.slice(0, 3), 3) } : {}),
    // Most keys expire soon, so that the account does not stay full.
    ...(random() < 0.8
      ? { expiresAt: `${now + BigInt(Math.trunc(random() * 60_000)) * 1_000_000n}` }
      : {}),
  };
}

function brokenRequest(crowd: Crowd, sound: FuzzRequest): FuzzRequest {
  const broken = breakOnce(crowd, sound);
  return crowd.random() < 0.3 ? breakOnce(crowd, broken) : broken;
}

function breakOnce(crowd: Crowd, whole: FuzzRequest): FuzzRequest {
  const { random } = crowd;
  const { method, url, request } = whole;
  const { body } = request;
  switch (Math.trunc(random() * 7)) {
    case 0:
      return { ...whole, method: pick(random, METHODS) };
    case 1:
      return { ...whole, url: withQuery(url, pick(random, [...QUERIES, ...ODD_QUERIES])) };
    case 2:
      return { ...whole, url: damaged(random, url) };
    case 3: {
      const headers = { ...request.headers, 'content-type': pick(random, TYPES) };
      return { ...whole, request: { ...request, headers } };
    }
    case 4:
      return { ...whole, request: { ...request, body: text(random, body) } };
    default: {
      const fields = (typeof body === 'object' && body !== null ? body : newKey(crowd)) as Body;
      const isBodied = method !== 'GET' && method !== 'HEAD';
      return isBodied
        ? { ...whole, request: { ...request, body: oddFields(random, fields) } }
        : { ...whole, url: withQuery(url, pick(random, ODD_QUERIES)) };
    }
  }
}

function oddFields(random: Random, body: Body): Body {
  const entries = Object.entries(body);
  const dice = random();
  if (dice < 0.25) return Object.fromEntries(entries.filter(() => random() < 0.7));
  const value = random() < 0.3 ? oddList(random) : pick(random, ODD_VALUES);
  const isNew = dice < 0.5 || entries.length === 0;
  const name = isNew ? pick(random, ODD_NAMES) : pick(random, entries)[0];
  return Object.fromEntries([...entries, [name, value]]);
}

function oddList(random: Random): unknown[] {
  const all = [...INSTRUMENTS, ...RANGES, ...SCOPES, ...ODD_VALUES];
  return Array.from({ length: Math.trunc(random() * 40) }, () => pick(random, all));
}

/** The body as a damaged text. */
function text(random: Random, body: unknown): string {
  const whole = JSON.stringify(body ?? {});
  switch (Math.trunc(random() * 6)) {
    case 0:
      return whole.slice(0, Math.trunc(random() * whole.length));
    case 1:
      return damaged(random, whole);
    case 2:
      return whole.padEnd(pick(random, [16_384, 16_385, 20_000]));
    case 3:
      return `${'['.repeat(5_000)}${']'.repeat(5_000)}`;
    case 4:
      return whole.replace('{', '{"__proto__":{"admin":true},');
    default:
      return pick(random, ['', 'null', '[]', '7', '"x"', 'NaN', '{}{}', '\ufeff{}', '{"a":1e999}']);
  }
}

function noise(crowd: Crowd): FuzzRequest {
  const { random } = crowd;
  const url = random() < 0.6 ? pick(random, ODD_PATHS) : `/${damaged(random, 'v1/keys/x/rotate')}`;
  const body = random() < 0.5 ? undefined : text(random, newKey(crowd));
  const made = from(crowd, pick(random, METHODS), url, body);
  return random() < 0.5 ? made : breakOnce(crowd, made);
}

function from(crowd: Crowd, method: string, url: string, body?: unknown): FuzzRequest {
  const { key, address } = crowd;
  return {
    method,
    url,
    request: { address, ...(key === null ? {} : { key }), ...(body === undefined ? {} : { body }) },
  };
}

/**
 * Removes, doubles or replaces one character, within what a request line may hold. Never begins
 * with two slashes of any kind: without a network, they are parsed as the address of a host.
 */
function damaged(random: Random, whole: string): string {
  const place = 1 + Math.trunc(random() * (whole.length - 1));
  const kept = random() < 0.5 ? whole.slice(place + 1) : whole.slice(place);
  const added = random() < 0.3 ? '' : String.fromCharCode(0x21 + Math.trunc(random() * 94));
  const result = `${whole.slice(0, place)}${added === '#' ? '!' : added}${kept}`;
  return /^[/\\]{2}/.test(result) ? whole : result;
}

function withQuery(url: string, query: string): string {
  return `${url}${url.includes('?') ? '&' : '?'}${query}`;
}

function pick<T>(random: Random, all: readonly T[]): T {
  return all[Math.trunc(random() * all.length)]!;
}
