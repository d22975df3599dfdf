import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, test } from 'node:test';
import { SCOPES } from '@tapeloom/core/entitlement/key-rights';
import fc from 'fast-check';
import {
  type CreatedKey,
  KeyRequests,
  keyBody,
  refusedAt,
} from '../../../testing/accounts/key-requests.ts';
import { checkProblem } from '../../../testing/rest/problem-check.ts';
import { DOCS_URL, RestService } from '../../../testing/rest/rest-service.ts';
import { digestOf, newKeyText } from '../../accounts/auth/secret.ts';

const SECOND_NS = 1_000_000_000n;
const DAY_NS = 86_400n * SECOND_NS;

/** Blank, or with invisible characters. */
const HIDDEN_NAMES = [
  ' ',
  '\u00a0\u2003\u3000',
  '\u2800',
  '\u200b',
  '\u202ered',
  'a\u200eb',
  'a\u200fb',
  'a\u061cb',
  'a\u2066b\u2069',
  'a\u2028b',
  'a\u2029b',
  'a\u0085b',
  'a\u00adb',
  'a\u200bb',
  'a\u200db',
  'é\u200d\u200dé',
  'a\ufe0fb',
  'a\u2060b',
  '\ufeffa',
  'a\u3164b',
  'a\u{e0041}b',
];

interface InstrumentNames {
  readonly instruments: readonly { readonly symbol: string; readonly alias: string | null }[];
}

let service: RestService;
let keys: KeyRequests;
before(async () => {
  service = await RestService.start();
  keys = new KeyRequests(service);
});
after(() => service[Symbol.asyncDispose]());

const without = (field: string) =>
  Object.fromEntries(Object.entries(keyBody()).filter(([name]) => name !== field));
const post = (key: string, sent: unknown) => service.post('/v1/keys', { key, body: sent });
const names = async (key: string) => {
  const url = '/v1/instruments?dataset=SIM';
  return (await service.get<InstrumentNames>(url, { key })).body.instruments;
};

test('a name is mandatory and a string of 1 to 64 code points without control characters [KEY-02] [KEY-03] [ERR-14] [ERR-15]', async () => {
  const key = await service.customer('live_history');
  for (const sent of [without('name'), keyBody({ name: 7 }), keyBody({ name: null })]) {
    assert.deepEqual(await refusedAt(post(key, sent)), ['/name']);
  }
  for (const name of [
    '',
    'x'.repeat(65),
    'é'.repeat(65),
    '😀'.repeat(65),
    'a\nb',
    '\u0000',
    '\ud800',
    ...HIDDEN_NAMES,
  ]) {
    assert.deepEqual(
      await refusedAt(post(key, keyBody({ name }))),
      ['/name'],
      JSON.stringify(name),
    );
  }
  for (const name of [
    'x',
    'x'.repeat(64),
    '😀'.repeat(64),
    ' x ',
    '<b>&"',
    '👩\u200d💻 ❤\ufe0f\u200d🔥',
    'می\u200cخواهم',
    '名前',
    "'; drop table",
  ]) {
    const created = await keys.made(key, { name });
    assert.equal(created.name, name);
    await keys.revoke(key, created.id);
  }
});

test('a key keeps a name that would be refused today, also when it is rotated', async () => {
  const account = await service.account('live_history');
  const { secret, record } = await service.key(account);
  const call = { now: service.clock.now(), actor: { kind: 'operator' } } as const;
  for (const name of ['\u202eetceles', ' ']) {
    const digest = digestOf(newKeyText('live', randomBytes));
    const old = await service.store.createKey(call, account, { ...record, name }, digest);
    assert.ok('id' in old);
    assert.equal((await keys.rotate(secret, old.id, 0)).body.name, name);
  }
});

test('an environment is mandatory, live or test, and the text of the key begins with it [KEY-04] [KEY-05] [KEY-23] [KEY-24]', async () => {
  const account = await service.account('live_history');
  for (const environment of ['live', 'test'] as const) {
    const { secret } = await service.key(account, { environment });
    const created = await keys.made(secret, { environment });
    assert.equal(created.environment, environment);
    assert.ok(created.key.startsWith(`svc_${environment}_`));
    assert.equal(created.hint, created.key.slice(-4));
  }
  const key = await service.customer('live_history');
  assert.deepEqual(await refusedAt(post(key, without('environment'))), ['/environment']);
  for (const environment of ['Live', 'prod', '', 'LIVE', ' live', 1, null, ['live']]) {
    assert.deepEqual(await refusedAt(post(key, keyBody({ environment }))), ['/environment']);
  }
});

test('scopes are mandatory, at least one of the four words [KEY-06] [KEY-07] [KEY-08]', async () => {
  const key = await service.customer('live_history');
  for (const sent of [without('scopes'), keyBody({ scopes: 'stream' }), keyBody({ scopes: [] })]) {
    assert.deepEqual(await refusedAt(post(key, sent)), ['/scopes']);
  }
  for (const word of ['Stream', 'admin', '', 'keys ', 7, null]) {
    assert.deepEqual(await refusedAt(post(key, keyBody({ scopes: ['stream', word] }))), [
      '/scopes/1',
    ]);
  }
  for (const scopes of [...SCOPES.map((scope) => [scope]), [...SCOPES]]) {
    const created = await keys.made(key, { scopes });
    assert.deepEqual(created.scopes, scopes);
  }
});

test('instruments are up to 32 listed symbols and aliases, case-sensitive [KEY-10] [KEY-11] [KEY-12]', async () => {
  const key = await service.customer('live_history');
  const listed = await names(key);
  const symbols = listed.map(({ symbol }) => symbol);
  assert.ok(symbols.length >= 33);
  for (const instruments of [[symbols[0]!], ['ES.c.0'], symbols.slice(0, 32)]) {
    assert.deepEqual((await keys.made(key, { instruments })).instruments, instruments);
  }
  const tooMany = await refusedAt(post(key, keyBody({ instruments: symbols.slice(0, 33) })));
  assert.deepEqual(tooMany, ['/instruments']);
  for (const name of ['esz6', 'es.c.0', 'ES.C.0', 'ESz6', ' ESZ6', 'ESZ6 ']) {
    assert.deepEqual(await refusedAt(post(key, keyBody({ instruments: [name] }))), [
      '/instruments/0',
    ]);
  }
  for (const instruments of [[], 'ESZ6', null, {}]) {
    assert.deepEqual(await refusedAt(post(key, keyBody({ instruments }))), ['/instruments']);
  }
});

test('who mistypes an instrument is told of the nearest one', async () => {
  const key = await service.customer('live_history');
  const near = await post(key, keyBody({ instruments: ['es.c.0'] }));
  assert.match(near.body.detail, /is not a symbol or alias\. Did you mean "ES\.c\.0"\?$/);
});

test('an unknown instrument is reported at its index and nowhere else [KEY-13]', async () => {
  const key = await service.customer('live_history');
  const instruments = ['ESZ6', 'ES.c.0', 'NOPE'];
  assert.deepEqual(await refusedAt(post(key, keyBody({ instruments }))), ['/instruments/2']);
  const mixed = ['', 'ESZ6', 7, '__proto__'];
  assert.deepEqual(await refusedAt(post(key, keyBody({ instruments: mixed }))), [
    '/instruments/0',
    '/instruments/2',
    '/instruments/3',
  ]);
});

test('allowedIps are up to 32 addresses and ranges; a malformed one is reported at its index [KEY-15] [KEY-16] [KEY-17]', async () => {
  const key = await service.customer('live_history');
  const many = Array.from({ length: 33 }, (_, index) => `10.0.0.${index}`);
  for (const allowedIps of [
    ['198.51.100.7'],
    ['198.51.100.0/24'],
    ['2001:db8::7'],
    ['2001:db8::/32'],
    many.slice(0, 32),
  ]) {
    assert.deepEqual((await keys.made(key, { allowedIps })).allowedIps, allowedIps);
  }
  assert.deepEqual(await refusedAt(post(key, keyBody({ allowedIps: many }))), ['/allowedIps']);
  const wrong = ['300.1.1.1', '10.0.0.0/33', 'abc', '192.168.1', '::1::', '2001:db8::/129', ''];
  wrong.push('::ffff:10.0.0.1/8', '::ffff:a00:1/95', '::10.0.0.1/8');
  for (const [index] of wrong.entries()) {
    const allowedIps = ['10.0.0.1', '10.0.0.2', wrong[index]];
    assert.deepEqual(await refusedAt(post(key, keyBody({ allowedIps }))), ['/allowedIps/2']);
  }
  const all = wrong.map((_, index) => `/allowedIps/${index}`);
  assert.deepEqual(await refusedAt(post(key, keyBody({ allowedIps: wrong }))), all);
  for (const allowedIps of [[], '10.0.0.1', null]) {
    assert.deepEqual(await refusedAt(post(key, keyBody({ allowedIps }))), ['/allowedIps']);
  }
});

test('expiresAt is a decimal string of nanoseconds in the future [KEY-18] [KEY-19]', async () => {
  const key = await service.customer('live_history');
  const now = service.clock.now();
  const wrong = [
    Number(now) * 2,
    '2027-01-01T00:00:00Z',
    '1.5',
    `${now + DAY_NS}.0`,
    `+${now + DAY_NS}`,
    ` ${now + DAY_NS}`,
    '1e30',
    '0x7fffffffffffffff',
    '',
    '9223372036854775808',
    '9'.repeat(40),
    '0',
    '-1',
    `${now}`,
    `${now - 1n}`,
    null,
    true,
  ];
  for (const expiresAt of wrong) {
    assert.deepEqual(await refusedAt(post(key, keyBody({ expiresAt }))), ['/expiresAt']);
  }
  for (const expiresAt of [`${now + 1n}`, '9223372036854775807']) {
    const { status, body } = await service.post<CreatedKey>('/v1/keys', {
      key,
      body: keyBody({ expiresAt }),
    });
    assert.equal(status, 201);
    assert.equal(body.expiresAt, expiresAt);
  }
});

test('all faults of a body are reported at once, unknown fields too [ERR-09] [ERR-13]', async () => {
  const key = await service.customer('live_history');
  const paths = await refusedAt(
    service.post('/v1/keys?dry=1', {
      key,
      body: {
        environment: 'prod',
        scopes: ['stream', 'fly'],
        instruments: ['ESZ6', 'NOPE'],
        allowedIps: ['10.0.0.1', '10.0.0.256'],
        expiresAt: '1',
        'a/b~c': 1,
      },
    }),
  );
  assert.deepEqual(paths, [
    '/allowedIps/1',
    '/a~1b~0c',
    '/dry',
    '/environment',
    '/expiresAt',
    '/instruments/1',
    '/name',
    '/scopes/1',
  ]);
});

test('an entry listed twice counts and stays once', async () => {
  const key = await service.customer('live_history');
  const created = await keys.made(key, {
    scopes: ['stream', 'stream'],
    instruments: ['ESZ6', 'ESZ6', 'ES.c.0'],
    allowedIps: ['10.0.0.1', '10.0.0.1'],
  });
  assert.deepEqual(created.scopes, ['stream']);
  assert.deepEqual(created.instruments, ['ESZ6', 'ES.c.0']);
  assert.deepEqual(created.allowedIps, ['10.0.0.1']);
});

test('any body at all is answered with a key or a complete list of its faults', async () => {
  const account = await service.account('live_history');
  const anyOf = (...values: unknown[]) => fc.oneof(fc.constantFrom(...values), fc.jsonValue());
  const sent = fc.record(
    {
      name: anyOf('robot', ''),
      environment: anyOf('live', 'test'),
      scopes: anyOf(['stream'], ['keys', 'nothing'], []),
      instruments: anyOf(['ESZ6'], ['NOPE'], []),
      allowedIps: anyOf(['10.0.0.0/8'], ['10'], []),
      expiresAt: anyOf('9000000000000000000', '1', 1),
    },
    { requiredKeys: [] },
  );
  await fc.assert(
    fc.asyncProperty(fc.oneof(sent, fc.jsonValue()), async (value) => {
      const { secret, record } = await service.key(account);
      const answer = await post(secret, JSON.stringify(value));
      if (answer.status !== 201) checkProblem(answer, DOCS_URL);
      else
        await service.delete(`/v1/keys/${(answer.body as unknown as CreatedKey).id}`, {
          key: secret,
        });
      await service.delete(`/v1/keys/${record.id}`, { key: secret });
    }),
    { numRuns: 100 },
  );
});
