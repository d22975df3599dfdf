import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CLIENT_MESSAGE_SCHEMAS } from '@tapeloom/protocol/client-messages';
import fc from 'fast-check';
import { Compile } from 'typebox/schema';
import { DEPTH_MAX, parseClientMessage } from './client-message.ts';

const SUBSCRIBE = { t: 'subscribe', sub: 'a', instrument: 'ES.c.0', indicator: 'bars' };

function refusal(message: unknown) {
  const text = typeof message === 'string' ? message : JSON.stringify(message);
  const parsed = parseClientMessage(text);
  assert.ok(!parsed.ok, `accepted ${text}`);
  return parsed.reply;
}

function accepts(message: unknown): boolean {
  return parseClientMessage(JSON.stringify(message)).ok;
}

function paths(message: unknown): readonly string[] {
  return (refusal(message).errors ?? []).map((fault) => fault.path);
}

test('the kind of a message is read from t, and from no other field [WS-03]', () => {
  const fields = {
    auth: { token: 'x' },
    subscribe: { sub: 'a', instrument: 'ES.c.0', indicator: 'bars' },
    unsubscribe: { sub: 'a' },
    ping: { id: 7 },
  };
  assert.deepEqual(Object.keys(fields), Object.keys(CLIENT_MESSAGE_SCHEMAS));
  for (const [t, others] of Object.entries(fields)) {
    const parsed = parseClientMessage(JSON.stringify({ t, ...others }));
    assert.deepEqual(parsed, { ok: true, message: { t, ...others } });
    for (const name of ['type', 'T', 'kind', 'op', 'event']) {
      assert.deepEqual(paths({ [name]: t, ...others }), ['/t'], name);
      assert.deepEqual(paths({ t: 'nothing', [name]: t, ...others }), ['/t'], name);
    }
  }
});

test('what cannot be understood is refused without a sub [EVT-21] [SEC-22]', () => {
  const proto = '{"t":"subscribe","instrument":"A","indicator":"bars","params":{"__proto__":{}}}';
  const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
  const deep = `{"t":"subscribe","sub":7,"instrument":"A","indicator":"bars","params":${nested(30_000)}}`;
  const texts = [
    '',
    ' ',
    '{',
    '{"t":"ping"',
    '{"t":"ping"}{"t":"ping"}',
    '[]',
    '[{"t":"ping"}]',
    'null',
    '1',
    '"ping"',
    'true',
    'ping',
    '{}',
    '{"t":null}',
    '{"t":1}',
    '{"t":"Ping"}',
    '{"t":"toString"}',
    '{"t":"__proto__"}',
    '{"t":["ping"]}',
    '{"T":"ping"}',
    '{"t":"ping","__proto__":1}',
    '{"t":"ping","sub":"a","__proto__":1}',
    '{"t":"subscribed","sub":"a"}',
    '{"t":"subscribe","__proto__":{"sub":"a"}}',
    proto,
    deep,
    nested(30_000),
    '\u0000',
  ];
  for (const text of texts) {
    const reply = refusal(text);
    assert.equal(reply.code, 'INVALID_PARAMETERS', text.slice(0, 40));
    assert.ok(!('sub' in reply), text.slice(0, 40));
    assert.ok(reply.message.length > 0 && reply.message.length < 500);
  }
});

test('what nests too deep or has a __proto__ is named by its path, and so is a kind that is none [EVT-19]', () => {
  const start = '"t":"subscribe","sub":"a","instrument":"A","indicator":"bars"';
  const long = 'x'.repeat(60_000);
  for (const [text, path] of [
    [`{${start},"params":{"__proto__":{}}}`, '/params/__proto__'],
    [`{${start},"__proto__":{}}`, '/__proto__'],
    [`{${start},"params":{"a/b":[1,{"__proto__":1}]}}`, '/params/a~1b/1/__proto__'],
    [`{${start},"params":${'{"a":'.repeat(9)}1${'}'.repeat(9)}}`, '/params/a/a/a/a/a/a/a'],
    [`{${start},"params":${'['.repeat(9)}${']'.repeat(9)}}`, '/params/0/0/0/0/0/0/0'],
    [`{${start},"params":{"${long}":{"__proto__":1}}}`, '/params'],
    ['{"t":"Ping"}', '/t'],
    ['{}', '/t'],
    ['{', ''],
    ['[]', ''],
  ] as const) {
    const reply = refusal(text);
    assert.deepEqual(
      reply.errors?.map((fault) => fault.path),
      [path],
      text.slice(0, 80),
    );
    assert.ok(JSON.stringify(reply).length < 600);
  }
});

test('nesting is allowed up to its limit and refused beyond', () => {
  const nest = (levels: number): unknown => (levels === 0 ? 1 : { a: nest(levels - 1) });
  assert.ok(accepts({ ...SUBSCRIBE, params: nest(DEPTH_MAX - 1) }));
  assert.ok(!accepts({ ...SUBSCRIBE, params: nest(DEPTH_MAX) }));
});

test('a refusal bears the sub that could be read, whatever else is wrong with the message [SUB-12] [EVT-19]', () => {
  const deep = `${'['.repeat(30_000)}${']'.repeat(30_000)}`;
  const texts = [
    '{"t":"subscribe","sub":"a"}',
    '{"sub":"a","t":"subscribe","instrument":1,"indicator":[],"params":[],"mode":0,"from":{},"x":{}}',
    '{"t":"subscribe","sub":"a","instrument":"A","indicator":"bars","params":{"__proto__":{}}}',
    '{"t":"subscribe","sub":"a","__proto__":{"sub":"b"}}',
    `{"t":"subscribe","sub":"a","instrument":"A","indicator":"bars","params":${deep}}`,
    `{"t":"subscribe","more":${deep},"sub":"a"}`,
    '{"t":"unsubscribe","sub":"a","more":1}',
    '{"t":"unsubscribe","sub":"a","more":{"__proto__":1}}',
  ];
  for (const text of texts) assert.equal(refusal(text).sub, 'a', text.slice(0, 80));
});

test('a sub that cannot be used is told back whole up to 256 bytes, and left out beyond', () => {
  for (const [echoed, unsaid] of [
    ['x'.repeat(256), 'x'.repeat(257)],
    ['é'.repeat(128), `${'é'.repeat(128)}x`],
    ['😀'.repeat(64), '😀'.repeat(65)],
    ['\u0000'.repeat(256), '\u0000'.repeat(257)],
  ] as const) {
    for (const message of [{ ...SUBSCRIBE }, { t: 'unsubscribe' }]) {
      assert.equal(refusal({ ...message, sub: echoed }).sub, echoed);
      const reply = refusal({ ...message, sub: unsaid });
      assert.ok(!('sub' in reply));
      assert.ok(JSON.stringify(reply).length < 500);
      assert.deepEqual(paths({ ...message, sub: unsaid }), ['/sub']);
    }
  }
});

test('a sub is a string of 1 to 64 UTF-8 bytes [SUB-01] [SUB-02] [SUB-03] [ERR-17]', () => {
  for (const sub of ['a', 'x'.repeat(64), 'é'.repeat(32), `${'é'.repeat(31)}aa`, '😀'.repeat(16)]) {
    assert.ok(accepts({ ...SUBSCRIBE, sub }), sub);
  }
  for (const sub of ['', 'x'.repeat(65), 'é'.repeat(33), `${'é'.repeat(31)}aaa`, '😀'.repeat(17)]) {
    const reply = refusal({ ...SUBSCRIBE, sub });
    assert.equal(reply.code, 'INVALID_PARAMETERS');
    assert.equal(reply.sub, sub);
    assert.deepEqual(
      reply.errors?.map((fault) => fault.path),
      ['/sub'],
    );
  }
  const { sub: _none, ...missing } = SUBSCRIBE;
  for (const message of [missing, { ...SUBSCRIBE, sub: 7 }, { ...SUBSCRIBE, sub: null }]) {
    assert.deepEqual(paths(message), ['/sub']);
    assert.ok(!('sub' in refusal(message)));
  }
});

test('each faulty field of a subscribe is named by its pointer [SUB-12] [EVT-19]', () => {
  const { instrument: _i, indicator: _j, ...bare } = SUBSCRIBE;
  assert.deepEqual(paths(bare), ['/instrument', '/indicator']);
  assert.equal(refusal(bare).sub, 'a');
  assert.deepEqual(paths({ ...SUBSCRIBE, instrument: 5, indicator: '' }), [
    '/instrument',
    '/indicator',
  ]);
  assert.deepEqual(paths({ ...SUBSCRIBE, instrument: 'x'.repeat(65) }), ['/instrument']);
  assert.deepEqual(paths({ ...SUBSCRIBE, extra: 1, 'a/b~c': 2 }), ['/extra', '/a~1b~0c']);
  assert.deepEqual(paths({ ...SUBSCRIBE, mode: 'fast' }), ['/mode']);
});

test('params is an object [SUB-06]', () => {
  for (const params of [{}, { size: 1 }]) assert.ok(accepts({ ...SUBSCRIBE, params }));
  for (const params of [[], 'x', null, 1, true]) {
    assert.deepEqual(paths({ ...SUBSCRIBE, params }), ['/params']);
  }
});

test('mode is live or confirmed [SUB-08]', () => {
  for (const mode of ['live', 'confirmed']) assert.ok(accepts({ ...SUBSCRIBE, mode }));
  for (const mode of ['Live', '', null, 1, ['live']]) {
    assert.deepEqual(paths({ ...SUBSCRIBE, mode }), ['/mode']);
  }
});

test('from is live, a cursor or a time, exactly [SUB-10]', () => {
  const good = [
    'live',
    { cursor: '20261112.0.0' },
    { cursor: '20261112.48211.1' },
    { time: '0' },
    { time: '1794580260000000000' },
    { time: '2026-11-12' },
    { time: '2026-11-12T10:00:00Z' },
    { time: '2026-11-12T10:00:00.123456789+05:30' },
    { time: '2026-11-12t10:00:00z' },
  ];
  for (const from of good) assert.ok(accepts({ ...SUBSCRIBE, from }), JSON.stringify(from));
  const bad = [
    'Live',
    '',
    null,
    1,
    [],
    {},
    { cursor: '20261112.01.1' },
    { cursor: '20261312.1.1' },
    { cursor: 5 },
    { cursor: '20261112.1.1', time: '0' },
    { cursor: '20261112.1.1', x: 1 },
    { time: 0 },
    { time: '' },
    { time: '00' },
    { time: '-1' },
    { time: '1.5' },
    { time: '2026-02-30' },
    { time: '2026-11-12T10:00Z' },
    { time: '2026-11-12T10:00:00' },
    { time: '2026-11-12T25:00:00Z' },
    { time: '1969-12-31T23:59:59Z' },
    { Time: '0' },
    { time: ['0'] },
  ];
  for (const from of bad)
    assert.deepEqual(paths({ ...SUBSCRIBE, from }), ['/from'], JSON.stringify(from));
});

test('a time in another unit, or a date without its hyphens, is told what it looks like', () => {
  for (const [time, meant] of [
    ['20261112', /"time" must be .* did you mean the date 2026-11-12\?$/],
    ['1794481200', /this looks like seconds: in nanoseconds it is 1794481200000000000\.$/],
    ['soon', /or a date YYYY-MM-DD\.$/],
  ] as const) {
    const parsed = parseClientMessage(JSON.stringify({ ...SUBSCRIBE, from: { time } }));
    assert.ok(!parsed.ok);
    assert.match(parsed.reply.message, meant);
  }
});

test('broken JSON is told where it breaks', () => {
  const parsed = parseClientMessage('{"t":"ping",}');
  assert.ok(!parsed.ok);
  const { message } = parsed.reply;
  assert.equal(message, 'The message is not valid JSON: it breaks at line 1, column 13.');
});

test('unsubscribe and ping have their fields and no others', () => {
  assert.ok(accepts({ t: 'unsubscribe', sub: 'a' }));
  assert.deepEqual(paths({ t: 'unsubscribe' }), ['/sub']);
  assert.deepEqual(paths({ t: 'unsubscribe', sub: 'a', instrument: 'x' }), ['/instrument']);
  assert.equal(refusal({ t: 'unsubscribe', sub: 'a', x: 1 }).sub, 'a');
  for (const id of ['', 'x'.repeat(64), 0, -5, Number.MAX_SAFE_INTEGER]) {
    assert.ok(accepts({ t: 'ping', id }));
  }
  for (const id of ['x'.repeat(65), 'é'.repeat(33), 1.5, 2 ** 53, null, {}, []]) {
    assert.deepEqual(paths({ t: 'ping', id }), ['/id']);
  }
  assert.ok(!('sub' in refusal({ t: 'ping', sub: 'a' })));
});

test('a hostile message gets a short answer', () => {
  const fields = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`f${index}`, 1]));
  assert.ok(JSON.stringify(refusal({ ...SUBSCRIBE, ...fields })).length < 4_000);
});

test('what is accepted fits the published schema, and what does not fit it is refused', () => {
  const schema = Compile(CLIENT_MESSAGE_SCHEMAS.subscribe);
  const text = fc.constantFrom('', 'a', 'live', 'confirmed', 'x'.repeat(70));
  const value = fc.oneof(text, fc.integer(), fc.constant(null), fc.constant({}), fc.constant([]));
  const field = (usual: string) => fc.oneof({ weight: 3, arbitrary: fc.constant(usual) }, value);
  fc.assert(
    fc.property(
      fc.record(
        {
          t: fc.constant('subscribe'),
          sub: field('a'),
          instrument: field('A'),
          indicator: field('bars'),
          params: fc.oneof(fc.constant({}), value),
          mode: field('live'),
          from: fc.oneof(field('live'), fc.record({ cursor: field('20261112.1.1') })),
          more: value,
        },
        { requiredKeys: ['t'] },
      ),
      (message) => {
        const fits = schema.Check(message);
        // The schema knows no cursors: it lets any text pass there.
        if (accepts(message)) assert.ok(fits);
        else if (fits) assert.deepEqual(paths(message), ['/from']);
      },
    ),
    { numRuns: 1_000 },
  );
});
