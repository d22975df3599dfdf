import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { zstdDecompressSync } from 'node:zlib';
import type { EpochNs } from '@tapeloom/core/numbers';
import { Check } from 'typebox/value';
import { fillMarket } from '../../../testing/history/history-market.ts';
import { address, leave, RANGE, readingBy } from '../../../testing/history/history-requests.ts';
import { checkProblem } from '../../../testing/rest/problem-check.ts';
import {
  DOCS_URL,
  type RestRequest,
  RestService,
  type TestKey,
} from '../../../testing/rest/rest-service.ts';
import { REMEMBERED_MAX } from '../../accounts/store/once.ts';
import { CreatedKeyView, RotatedKeyView } from '../routes/key-view.ts';

const HOUR_MS = 3_600_000;
const BODY = { name: 'robot', environment: 'live', scopes: ['stream', 'history'] };
const INVALID = { status: 400, code: 'INVALID_PARAMETERS' } as const;

interface Key {
  readonly id: string;
  readonly key?: string;
  readonly state: string;
  readonly previous?: { readonly id: string; readonly state: string };
}
interface Usage {
  readonly used: { readonly computeUnits: number; readonly exportBytes: number };
}

let service: RestService;
before(async () => {
  service = await RestService.start();
  fillMarket(service);
});
after(() => service[Symbol.asyncDispose]());

function post(path: string, key: string, idempotencyKey: string | null, body: unknown = BODY) {
  const headers = idempotencyKey === null ? {} : { 'idempotency-key': idempotencyKey };
  return service.post<Key>(path, { key, headers, body });
}

async function keysOf(key: string): Promise<readonly Key[]> {
  return (await service.get<{ keys: Key[] }>('/v1/keys', { key })).body.keys;
}

/** At the header, and at nothing else. */
function refusedAtHeader(answer: Parameters<typeof checkProblem>[0]): string {
  const { errors } = checkProblem(answer, DOCS_URL, INVALID);
  assert.deepEqual(
    errors!.map(({ path }) => path),
    ['/Idempotency-Key'],
  );
  return errors![0]!.message;
}

test('a key that is asked for again is answered without its secret, and was made once [KEY-22]', async () => {
  const key = await service.customer('live_history');
  const first = await post('/v1/keys', key, 'one');
  assert.equal(first.status, 201);
  assert.equal(first.headers['idempotent-replayed'], undefined);
  const { key: secret, ...record } = first.body;
  assert.match(secret!, /^svc_live_/);
  // The order of fields does not matter.
  const turned = { scopes: BODY.scopes, environment: BODY.environment, name: BODY.name };
  for (const body of [BODY, turned]) {
    const again = await post('/v1/keys', key, 'one', body);
    assert.equal(again.status, 201);
    assert.equal(again.headers['idempotent-replayed'], 'true');
    assert.ok(!again.text.includes(secret!) && !('key' in again.body));
    assert.deepEqual(again.body, record);
    assert.ok(Check(CreatedKeyView, again.body));
    assert.equal(again.headers['cache-control'], 'no-store');
  }
  assert.equal((await keysOf(key)).length, 2);
  // It is the record as it stands now.
  await service.delete(`/v1/keys/${record.id}`, { key });
  assert.equal((await post('/v1/keys', key, 'one')).body.state, 'revoked');
  // Another idempotency key, or none, is another request.
  assert.notEqual((await post('/v1/keys', key, 'two')).body.id, record.id);
  assert.ok((await post('/v1/keys', key, null)).body.key);
});

test('a rotation that is asked for again says both keys without a secret [KEY-22]', async () => {
  const key = await service.customer('live_history');
  const old = (await post('/v1/keys', key, null)).body;
  const path = `/v1/keys/${old.id}/rotate`;
  for (const [grace, state] of [
    [60, 'expiring'],
    [0, 'revoked'],
  ] as const) {
    const target = grace === 60 ? old : (await post('/v1/keys', key, null)).body;
    const own = path.replace(old.id, target.id);
    const body = { gracePeriodSeconds: grace };
    const first = await post(own, key, `rotate ${grace}`, body);
    assert.equal(first.status, 201);
    const { key: secret, ...record } = first.body;
    const again = await post(own, key, `rotate ${grace}`, body);
    assert.equal(again.status, 201);
    assert.equal(again.headers['idempotent-replayed'], 'true');
    assert.deepEqual(again.body, record);
    assert.ok(Check(RotatedKeyView, again.body));
    assert.equal(again.body.previous?.state, state);
    assert.ok(!again.text.includes(secret!));
    checkProblem(await post(own, key, 'another', body), DOCS_URL, {
      status: 409,
      code: 'CONFLICT',
    });
  }
});

test('the same idempotency key with another request is 400 at the header; of another API key it is another one', async () => {
  const account = await service.account('live_history');
  const [{ secret: key }, { secret: other }] = [
    await service.key(account),
    await service.key(account),
  ];
  const made = (await post('/v1/keys', key, 'same')).body;
  const fields = { name: 'x' };
  const message = refusedAtHeader(await post('/v1/keys', key, 'same', { ...BODY, ...fields }));
  assert.match(message, /a different request; use a new one for each request/);
  const rotation = `/v1/keys/${made.id}/rotate`;
  refusedAtHeader(await post(rotation, key, 'same', { gracePeriodSeconds: 0 }));
  const exporting = { key, headers: { 'idempotency-key': 'same' } };
  refusedAtHeader(await service.get(address('/v1/export', RANGE), exporting));
  const theirs = await post('/v1/keys', other, 'same');
  assert.equal(theirs.headers['idempotent-replayed'], undefined);
  assert.notEqual(theirs.body.id, made.id);
  assert.equal((await keysOf(key)).length, 4);
});

test('the header is 1 to 255 printable ASCII characters, sent once; else 400 and nothing is done', async () => {
  const key = await service.customer('live_history');
  const longest = '~'.repeat(255);
  for (const good of ['a', longest, '  "8e03978e-40d5" ']) {
    assert.equal((await post('/v1/keys', key, good)).status, 201);
  }
  const count = (await keysOf(key)).length;
  for (const bad of ['', `${longest}x`, 'caf\u00e9', 'a\tb', 'a\u0000', '\u20ac']) {
    const message = refusedAtHeader(await post('/v1/keys', key, bad));
    assert.match(message, /sent once, with 1 to 255 printable ASCII characters/);
  }
  const twice = { 'idempotency-key': ['a', 'b'] } as unknown as RestRequest['headers'];
  refusedAtHeader(await service.post('/v1/keys', { key, headers: twice!, body: BODY }));
  // Together with the faults of the body.
  const both = await post('/v1/keys', key, '', { ...BODY, name: 1 });
  const { errors } = checkProblem(both, DOCS_URL, INVALID);
  assert.deepEqual(
    errors!.map(({ path }) => path),
    ['/name', '/Idempotency-Key'],
  );
  assert.equal((await keysOf(key)).length, count);
  // A route that does not support the header ignores it.
  const headers = { 'idempotency-key': '' };
  assert.equal((await service.get('/v1/usage', { key, headers })).status, 200);
  assert.equal((await service.post('/v1/stream-tokens', { key, headers })).status, 201);
});

test('many at once make one key; a repeat needs the rights and counts as a request', async () => {
  const account = await service.account('live_history');
  const manager = await service.key(account);
  const { secret: key } = manager;
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => post('/v1/keys', key, 'together')),
  );
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([201]));
  assert.equal(new Set(answers.map(({ body }) => body.id)).size, 1);
  assert.equal(answers.filter(({ body }) => 'key' in body).length, 1);
  assert.equal((await keysOf(key)).length, 2);
  const remaining = async () =>
    Number((await post('/v1/keys', key, 'together')).headers['ratelimit-remaining']);
  assert.equal((await remaining()) - (await remaining()), 1);
  const now = service.clock.now();
  const operator = { now, actor: { kind: 'operator' } } as const;
  await service.store.revokeKey(operator, account, manager.record.id);
  assert.equal((await post('/v1/keys', key, 'together')).status, 401);
});

test('after 24 hours an idempotency key is new again', async () => {
  await using own = await RestService.start();
  const key = await own.customer('live_history');
  const ask = () =>
    own.post<Key>('/v1/keys', { key, headers: { 'idempotency-key': 'day' }, body: BODY });
  const first = (await ask()).body;
  own.clock.advance(24 * HOUR_MS - 1);
  assert.equal((await ask()).body.id, first.id);
  own.clock.advance(1);
  const second = (await ask()).body;
  assert.notEqual(second.id, first.id);
  assert.ok(second.key);
});

test('an account at its limit is told so with Retry-After, before anything is done', async () => {
  await using own = await RestService.start();
  fillMarket(own);
  const account = await own.account('live_history');
  const { secret: key, record } = await own.key(account);
  const now = own.clock.now();
  const expiresAt = (now + 90_000_000_000n) as EpochNs;
  for (let count = 0; count < REMEMBERED_MAX; count += 1) {
    const once = { idempotencyKey: `${count}`, request: '' };
    const done = { accountId: account, keyId: record.id, once, answer: '', expiresAt };
    assert.equal(await own.store.settleOnce(now, 'none', { amount: 0 }, done), null);
  }
  const headers = { 'idempotency-key': 'more' };
  for (const answer of [
    await own.post('/v1/keys', { key, headers, body: BODY }),
    await own.get(address('/v1/export', RANGE), { key, headers }),
  ]) {
    const problem = checkProblem(answer, DOCS_URL, { status: 429, code: 'RATE_LIMITED' });
    assert.equal(answer.headers['retry-after'], '90');
    assert.match(
      problem.detail,
      /1000 requests with an Idempotency-Key in 24 hours.*without the header/,
    );
  }
  const { body } = await own.get<Usage>('/v1/usage', { key });
  assert.equal(body.used.computeUnits, 0);
  assert.equal((await own.post('/v1/keys', { key, body: BODY })).status, 201);
});

/** Exports over a real socket, as files are read. */
class Exports {
  readonly #service: RestService;
  readonly #port: number;
  readonly #key: TestKey;

  private constructor(own: RestService, port: number, key: TestKey) {
    this.#service = own;
    this.#port = port;
    this.#key = key;
  }

  static async of(own: RestService): Promise<Exports> {
    return new Exports(own, await own.listen(), await own.key(await own.account('history')));
  }

  get accountId(): string {
    return this.#key.record.accountId;
  }

  async ask(idempotencyKey: string, fields: Readonly<Record<string, string>> = RANGE) {
    const url = `http://127.0.0.1:${this.#port}${address('/v1/export', fields)}`;
    const authorization = `Bearer ${this.#key.secret}`;
    const response = await fetch(url, {
      headers: { authorization, 'idempotency-key': idempotencyKey },
    });
    const bytes = Buffer.from(await response.arrayBuffer());
    const { status, headers } = response;
    const isReplayed = headers.get('idempotent-replayed');
    return { status, bytes, isReplayed, token: headers.get('x-export-token') };
  }

  async used(): Promise<Usage['used']> {
    const { body } = await this.#service.get<Usage>('/v1/usage', { key: this.#key.secret });
    return body.used;
  }
}

test('an export that is asked for again is charged its units once and its bytes each time, from its first line on', async () => {
  await using own = await RestService.start();
  fillMarket(own);
  const exports = await Exports.of(own);
  // Without an end, so that a new export would reach further each time.
  const { to: _to, ...open } = RANGE;
  const first = await exports.ask('file', open);
  assert.deepEqual([first.status, first.isReplayed], [200, null]);
  const once = await exports.used();
  assert.ok(once.computeUnits > 0);
  assert.equal(once.exportBytes, first.bytes.length);
  own.clock.advance(2 * HOUR_MS);
  own.market.tapeTime = own.clock.now();
  const { from, ...rest } = open;
  const again = await exports.ask('file', { ...rest, from: from! });
  assert.deepEqual([again.status, again.isReplayed, again.token], [200, 'true', first.token]);
  assert.deepEqual(zstdDecompressSync(again.bytes), zstdDecompressSync(first.bytes));
  const twice = await exports.used();
  assert.equal(twice.computeUnits, once.computeUnits);
  assert.equal(twice.exportBytes, first.bytes.length + again.bytes.length);
  // A resume needs no idempotency key, and may carry any.
  const resumed = await exports.ask('file', { resume: first.token!, line: '1' });
  assert.deepEqual([resumed.status, resumed.isReplayed], [200, null]);
  assert.equal((await exports.ask('file', { ...open, mode: 'confirmed' })).status, 400);
  // A day after the first it is a new export.
  own.clock.advance(22 * HOUR_MS);
  own.market.tapeTime = own.clock.now();
  const next = await exports.ask('file', open);
  assert.deepEqual([next.status, next.isReplayed], [200, null]);
  assert.notEqual(next.token, first.token);
  assert.ok((await exports.used()).computeUnits > once.computeUnits);
});

test('an export that was refused is not remembered: the next attempt is judged anew', async () => {
  await using own = await RestService.start();
  fillMarket(own);
  const exports = await Exports.of(own);
  const uncovered = { ...RANGE, instrument: 'CLF7', from: '2026-11-04' };
  assert.equal((await exports.ask('a', uncovered)).status, 402);
  const { sources } = own;
  own.sources = readingBy(sources, () => {
    throw new Error('broken');
  });
  assert.equal((await exports.ask('b')).status, 500);
  own.sources = sources;
  assert.equal((await exports.used()).computeUnits, 0);
  // Even with another request, since nothing was done with these.
  for (const name of ['a', 'b']) {
    const { status, isReplayed } = await exports.ask(name);
    assert.deepEqual([status, isReplayed], [200, null]);
  }
  const { exportBytes } = await exports.used();
  await leave(own, exports.accountId, 'exportBytes', 21_474_836_480, exportBytes);
  const { status, isReplayed } = await exports.ask('b');
  assert.deepEqual([status, isReplayed], [429, null], 'a repeat needs volume like any answer');
});

test('an export whose token is no longer good cannot be repeated, which 410 says with what to do', async () => {
  await using own = await RestService.start();
  await using changed = await RestService.start();
  fillMarket(own);
  const exports = await Exports.of(own);
  assert.equal((await exports.ask('kept')).status, 200);
  own.tokens = changed.tokens;
  const { status, bytes, isReplayed } = await exports.ask('kept');
  assert.deepEqual([status, isReplayed], [410, null]);
  const { code, detail } = JSON.parse(bytes.toString());
  assert.equal(code, 'CURSOR_EXPIRED');
  assert.match(detail, /start a new export with a new Idempotency-Key/);
  assert.equal((await exports.ask('new')).status, 200);
});

test('two exports at once with one idempotency key: both get the file, one is charged, and all bytes are', async () => {
  await using own = await RestService.start();
  fillMarket(own);
  const exports = await Exports.of(own);
  const answers = await Promise.all(Array.from({ length: 4 }, () => exports.ask('together')));
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200, 200, 200],
  );
  assert.equal(answers.filter(({ isReplayed }) => isReplayed === null).length, 1);
  assert.equal(new Set(answers.map(({ token }) => token)).size, 1);
  const texts = answers.map(({ bytes }) => zstdDecompressSync(bytes).toString());
  assert.equal(new Set(texts).size, 1);
  const { computeUnits, exportBytes } = await exports.used();
  assert.equal(
    exportBytes,
    answers.reduce((sum, { bytes }) => sum + bytes.length, 0),
  );
  const alone = await exports.ask('alone');
  assert.equal(alone.isReplayed, null);
  assert.equal((await exports.used()).computeUnits, 2 * computeUnits, 'the first four cost one');
  const { reserved } = await own.store.usageOf(own.clock.now(), exports.accountId, '2026-11');
  assert.deepEqual(reserved, { computeUnits: 0, exportBytes: 0 });
});
