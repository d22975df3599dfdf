/**
 * Generated requests from many accounts against the real routes, store and history. No response is
 * a 5xx, and every error is a problem document with a chapter in `docs/errors.md`. Rate-limit
 * headers come complete or not at all, a 401 has none, and no response repeats a key.
 */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { PLANS } from '@tapeloom/core/entitlement/plan';
import type { EpochNs } from '@tapeloom/core/numbers';
import { newKeyText } from '@tapeloom/server/accounts/auth/secret';
import { alignedTable } from '../../bench/shared/table.ts';
import { fillMarket } from '../../packages/server/testing/history/history-market.ts';
import { checkProblem } from '../../packages/server/testing/rest/problem-check.ts';
import {
  DOCS_URL,
  type RestAnswer,
  RestService,
} from '../../packages/server/testing/rest/rest-service.ts';
import { seededRandom } from '../../simulation/clock/seeded-random.ts';
import type { Random } from '../../simulation/disk/sim-disk.ts';
import { type Crowd, fuzzRequest } from './rest-requests.ts';

const ACCOUNTS_MIN = 40;
const REQUESTS_PER_ACCOUNT = 500;
/** The clock advances by this between two requests. */
const PAUSE_MS = 20;
/** Of so many requests the first `GREEDY_REQUESTS` come from one customer, beyond its limit. */
const GREEDY_EVERY = 5_000;
const GREEDY_REQUESTS = 80;
/** One request in so many is raw bytes on a socket. */
const RAW_EVERY = 200;
const LIMITED_SHARE_MAX = 0.01;
const INVENTED = newKeyText('live', (size) => new Uint8Array(size).fill(9));
const RATE_HEADERS = ['limit', 'remaining', 'reset', 'policy'].map((name) => `ratelimit-${name}`);

interface Member {
  /** Valid keys of one account, any of which a request may use. */
  readonly secrets: readonly string[];
  readonly ids: string[];
}

/** The number of responses by status and code. */
export type Distribution = ReadonlyMap<string, number>;

export async function run({ rounds }: { readonly rounds: number }): Promise<void> {
  const seed = Math.trunc(Math.random() * 2 ** 32);
  console.log(`seed ${seed}`);
  console.log(distributionTable(await fuzz(rounds, seed), rounds));
}

export async function fuzz(requests: number, seed: number): Promise<Distribution> {
  const random = seededRandom(seed);
  await using service = await RestService.start();
  fillMarket(service);
  const tokens: string[] = [];
  const port = await service.listen();
  const members = await gather(service, Math.max(ACCOUNTS_MIN, requests / REQUESTS_PER_ACCOUNT));
  const ended = await endedSecrets(service);
  const counts = new Map<string, number>();
  const count = (label: string) => counts.set(label, (counts.get(label) ?? 0) + 1);
  for (let number = 1; number <= requests; number += 1) {
    service.clock.advance(PAUSE_MS);
    if (number % RAW_EVERY === 0) {
      count(await rawRequest(random, port));
      continue;
    }
    const member = number % GREEDY_EVERY < GREEDY_REQUESTS ? members[0]! : pick(random, members);
    const crowd = { ...crowdOf(service, random, member, ended), tokens };
    const { method, url, request } = fuzzRequest(crowd);
    const answer = await service.request<unknown>(method, url, request);
    try {
      count(labelOf(url, check(answer, crowd, member)));
      rememberToken(tokens, answer);
    } catch (error) {
      const about = `request ${number}: ${JSON.stringify({ method, url, request })}`;
      throw new Error(`${about}\nanswered ${answer.status} ${answer.text}`, { cause: error });
    }
  }
  const limited = counts.get('429 RATE_LIMITED') ?? 0;
  assert.ok(limited < requests * LIMITED_SHARE_MAX, `${limited} answers were RATE_LIMITED`);
  assert.deepEqual(service.logged, [], 'nothing failed inside');
  return counts;
}

export function distributionTable(counts: Distribution, requests: number): string {
  const rows = [...counts]
    .sort(([one], [other]) => one.localeCompare(other))
    .map(([label, count]) => [label, count, `${((100 * count) / requests).toFixed(2)} %`]);
  return alignedTable(['answer', 'requests', 'share'], rows);
}

async function gather(service: RestService, accounts: number): Promise<Member[]> {
  const members: Member[] = [];
  for (let index = 0; index < accounts; index += 1) {
    const account = await service.account(PLANS[index % PLANS.length]!);
    const all = await service.key(account);
    const trial = await service.key(account, { environment: 'test' });
    const weak = await service.key(account, { scopes: ['history'], instruments: ['ESZ6'] });
    const keys = [all, trial, weak];
    members.push({ secrets: keys.map(({ secret }) => secret), ids: [] });
  }
  return members;
}

/** Ended keys, and texts that never were keys. */
async function endedSecrets(service: RestService): Promise<string[]> {
  const now = service.clock.now();
  const account = await service.account();
  const revoked = await service.key(account);
  await service.store.revokeKey({ now, actor: { kind: 'operator' } }, account, revoked.record.id);
  const expired = await service.key(account, { expiresAt: (now + 1n) as EpochNs });
  return [revoked.secret, expired.secret, INVENTED, 'nonsense', '', 'svc_live_'];
}

function crowdOf(
  service: RestService,
  random: Random,
  member: Member,
  ended: readonly string[],
): Omit<Crowd, 'tokens'> {
  const dice = random();
  const bytes = Math.trunc(random() * 2 ** 24);
  return {
    random,
    now: service.clock.now(),
    key: dice < 0.85 ? pick(random, member.secrets) : dice < 0.93 ? null : pick(random, ended),
    address: `10.${bytes >> 16}.${(bytes >> 8) & 255}.${bytes & 255}`,
    ids: member.ids,
  };
}

function check(answer: RestAnswer<unknown>, { key }: Crowd, member: Member): string {
  const { status, headers, text, body } = answer;
  assert.ok(status < 500, 'no 5xx');
  const rateHeaders = RATE_HEADERS.filter((name) => headers[name] !== undefined);
  if (status === 401) assert.deepEqual(rateHeaders, []);
  else assert.ok(rateHeaders.length === 0 || rateHeaders.length === RATE_HEADERS.length);
  if (key !== null && key.length > 20) assert.ok(!text.includes(key));
  if (status < 400) {
    const { id, key: secret } = (body ?? {}) as { id?: string; key?: string };
    if (id !== undefined && secret !== undefined) remember(member, id);
    return `${status}`;
  }
  // The response to a HEAD has no document.
  if (body === undefined) return `${status} HEAD`;
  return `${status} ${checkProblem(answer, DOCS_URL).code}`;
}

/** Keeps the newest ids, of which some have ended: requests should name those too. */
function remember({ ids }: Member, id: string): void {
  ids.push(id);
  if (ids.length > 8) ids.shift();
}

/** Labels successful history requests by route. */
function labelOf(url: string, label: string): string {
  const door = /^\/v1\/(?:history\/estimate|history|export)(?=\?)/.exec(url);
  return label === '200' && door !== null ? `200 ${door[0]}` : label;
}

function rememberToken(tokens: string[], { headers }: RestAnswer<unknown>): void {
  const token = headers['x-export-token'];
  if (token === undefined) return;
  tokens.push(token);
  if (tokens.length > 8) tokens.shift();
}

/** Sends HTTP with a few random bytes replaced. */
async function rawRequest(random: Random, port: number): Promise<string> {
  const whole = `GET /v1/usage HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${INVENTED}\r\n\r\n`;
  const bytes = Buffer.from(whole, 'latin1');
  for (let hits = Math.trunc(random() * 4); hits >= 0; hits -= 1) {
    bytes[Math.trunc(random() * bytes.length)] = Math.trunc(random() * 256);
  }
  const socket = connect(port, '127.0.0.1').setEncoding('latin1');
  let text = '';
  socket.on('data', (chunk: string) => {
    text += chunk;
  });
  socket.end(bytes);
  await once(socket, 'close');
  // A request without its end is never complete and gets no response.
  if (text === '') return 'raw, no answer';
  const [head, body] = text.split('\r\n\r\n') as [string, string];
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(head)![1]);
  const headers = Object.fromEntries(
    head.split('\r\n').map((line) => line.toLowerCase().split(': ') as [string, string]),
  );
  assert.ok(status >= 400 && status < 500, text);
  if (body === '') return `raw ${status} HEAD`;
  const problem = checkProblem({ status, headers, body: JSON.parse(body) }, DOCS_URL);
  return `raw ${status} ${problem.code}`;
}

function pick<T>(random: Random, all: readonly T[]): T {
  return all[Math.trunc(random() * all.length)]!;
}
