import assert from 'node:assert/strict';
import { test } from 'node:test';
import { publishedDefinitions } from '@tapeloom/core/studies/catalogue';
import { SNAPSHOT_BYTES_MAX } from '@tapeloom/core/studies/published-objects';
import { CLIENT_MESSAGE_SCHEMAS } from '@tapeloom/protocol/client-messages';
import { CLOSE_MEANINGS, CloseCode, CloseReason } from '@tapeloom/protocol/close-codes';
import { SERVER_MESSAGE_SCHEMAS } from '@tapeloom/protocol/server-message-schemas';
import { STREAM_LIMITS } from '@tapeloom/protocol/stream-limits';
import { Compile } from 'typebox/schema';
import { MESSAGE_RATE } from '../../gateway/connection/message-rate.ts';
import { SILENCE_MS_MAX } from '../../gateway/connection/silence.ts';
import { SOCKET_SETTINGS } from '../../gateway/connection/socket-settings.ts';
import { FREE_RESUME_NS } from '../../gateway/delivery/start-verdict.ts';
import { DEPTH_MAX, parseClientMessage } from '../../gateway/wire/client-message.ts';
import { OUTBOX_LIMITS } from '../../gateway/wire/outbox.ts';
import { AHEAD_MS_MAX } from '../../runs/ahead-wait.ts';
import { asyncapiText } from './interface-documents.ts';

type Node = Readonly<Record<string, unknown>>;
interface Message {
  readonly name: string;
  readonly payload: object;
  readonly examples: readonly { readonly payload: Node }[];
}
interface Operation {
  readonly action: 'send' | 'receive';
  readonly messages: readonly { readonly $ref: string }[];
  readonly reply?: { readonly messages: readonly { readonly $ref: string }[] };
}
interface Document {
  readonly channels: { readonly stream: { readonly messages: Node; readonly 'x-limits': Node } };
  readonly operations: Readonly<Record<string, Operation>>;
  readonly asyncapi: string;
  readonly components: {
    readonly messages: Readonly<Record<string, Message>>;
    readonly schemas: Readonly<Record<string, Node>>;
  };
}

const text = asyncapiText();
const document: Document = JSON.parse(text);
const { messages, schemas } = document.components;
/** A payload refers to other parts of the document. */
const compiled = (payload: object) =>
  Compile({ components: document.components, ...payload } as object);
const clientKinds = Object.keys(CLIENT_MESSAGE_SCHEMAS);
const serverKinds = Object.keys(SERVER_MESSAGE_SCHEMAS);
const kindsOf = (refs: readonly { readonly $ref: string }[]) =>
  refs.map(({ $ref }) => $ref.replace('#/channels/stream/messages/', ''));

test('every reference of contract/asyncapi.json leads to something it holds', () => {
  const targets = [...text.matchAll(/"\$ref": "#\/([^"]+)"/g)].map(([, path]) => path!);
  assert.ok(targets.length > 20);
  for (const target of new Set(targets)) {
    const found = target
      .split('/')
      .reduce<unknown>((node, name) => (node as Node | undefined)?.[name], document);
    assert.ok(found !== undefined, target);
  }
});

test('every message is in the channel, and in the operation of its direction', () => {
  const kinds = [...clientKinds, ...serverKinds];
  assert.deepEqual(Object.keys(messages), kinds);
  assert.deepEqual(Object.keys(document.channels.stream.messages), kinds);
  const received = Object.values(document.operations).filter(({ action }) => action === 'receive');
  const sent = Object.values(document.operations).filter(({ action }) => action === 'send');
  assert.deepEqual(
    received.flatMap((operation) => kindsOf(operation.messages)),
    clientKinds,
  );
  assert.deepEqual(
    sent.flatMap((operation) => kindsOf(operation.messages)),
    serverKinds,
  );
  for (const { reply } of received) {
    for (const kind of kindsOf(reply?.messages ?? [])) assert.ok(serverKinds.includes(kind), kind);
  }
});

test('every message has examples, which fit the published schema and the one that judges', () => {
  const judging: Readonly<Record<string, object>> = {
    ...CLIENT_MESSAGE_SCHEMAS,
    ...SERVER_MESSAGE_SCHEMAS,
  };
  for (const [kind, { name, payload, examples }] of Object.entries(messages)) {
    assert.equal(name, kind);
    assert.ok(examples.length > 0, kind);
    for (const example of examples) {
      for (const schema of [compiled(payload), Compile(judging[kind]!)]) {
        assert.ok(schema.Check(example.payload), JSON.stringify(example.payload));
      }
      const { t: _kind, ...kindless } = example.payload;
      assert.ok(!compiled(payload).Check(kindless), kind);
    }
  }
});

test('what a client sends is closed, what it reads leaves room for more', () => {
  for (const [kind, { payload, examples }] of Object.entries(messages)) {
    const schema = compiled(payload);
    const more = { ...examples[0]!.payload, somethingNew: 1 };
    assert.equal(schema.Check(more), serverKinds.includes(kind), kind);
  }
  const reset = compiled(messages.reset!.payload);
  assert.ok(reset.Check({ t: 'reset', sub: 'a', reason: 'a_new_one' }));
  assert.ok(!reset.Check({ t: 'reset', sub: 'a', reason: 1 }));
});

test('every close code and every fixed reason has its meaning, once', () => {
  const ways = CLOSE_MEANINGS.map(({ code, reason }) => `${code} ${reason}`);
  assert.equal(new Set(ways).size, ways.length);
  assert.deepEqual(
    [...new Set(CLOSE_MEANINGS.map(({ code }) => code))],
    Object.values<number>(CloseCode),
  );
  assert.deepEqual(
    CLOSE_MEANINGS.flatMap(({ reason }) => reason ?? []),
    Object.values(CloseReason),
  );
});

test('the published limits are those that are kept', () => {
  assert.deepEqual(document.channels.stream['x-limits'], STREAM_LIMITS);
  const kept = {
    messageBytesMax: SOCKET_SETTINGS.maxPayload,
    fragmentsMax: SOCKET_SETTINGS.maxFragments,
    nestingMax: DEPTH_MAX,
    framesPerSecond: MESSAGE_RATE.perSecond,
    framesAtOnce: MESSAGE_RATE.burst,
    silenceMsMax: SILENCE_MS_MAX,
    skipFromBytes: OUTBOX_LIMITS.skipFromBytes,
    waitingBytesMax: OUTBOX_LIMITS.bytesMax,
    snapshotBytesMax: SNAPSHOT_BYTES_MAX,
    resumeMs: Number(FREE_RESUME_NS / 1_000_000n),
    aheadMsMax: AHEAD_MS_MAX,
  };
  assert.deepEqual({ ...STREAM_LIMITS, ...kept }, STREAM_LIMITS as object);
});

test('every payload, every object in it and every list of words has a name, for generators', () => {
  assert.equal(document.asyncapi, '3.0.0', 'the newest that generators read');
  for (const [kind, { payload }] of Object.entries(messages)) {
    assert.match(
      JSON.stringify(payload),
      /^\{"\$ref":"#\/components\/schemas\/\w+Message"\}$/,
      kind,
    );
  }
  for (const [name, schema] of Object.entries(schemas)) {
    const inside = JSON.stringify({
      ...schema,
      properties: Object.values(schema.properties ?? {}),
    });
    assert.doesNotMatch(inside, /"properties":\{|(?<!^\{"type":"\w+",)"enum":/, name);
  }
  const words = { ResetReason: 5, StreamState: 5, StreamErrorCode: 10, NoticeKind: 4 };
  for (const [name, count] of Object.entries(words)) {
    assert.equal((schemas[name]!.enum as string[]).length, count, name);
  }
});

test('the data of a message is that of one of the indicators in the catalogue', () => {
  const definitions = publishedDefinitions();
  const upsert = compiled(messages.upsert!.payload);
  const { data: _data, ...rest } = messages.upsert!.examples[0]!.payload;
  for (const { id, example } of definitions) {
    assert.ok(upsert.Check({ ...rest, data: example.data }), id);
  }
  assert.ok(!upsert.Check({ ...rest, data: { nothing: 'known' } }));
  assert.deepEqual(
    schemas.KnownIndicatorId!.enum,
    definitions.map(({ id }) => id),
  );
  const subscribe = compiled(messages.subscribe!.payload);
  const example = messages.subscribe!.examples[0]!.payload;
  assert.ok(subscribe.Check({ ...example, indicator: 'of-next-year' }));
});

test('the bounds of what a client sends are those that the service has', () => {
  const ping = compiled(messages.ping!.payload);
  assert.ok(ping.Check({ t: 'ping', id: Number.MAX_SAFE_INTEGER }));
  assert.ok(!ping.Check({ t: 'ping', id: 2 ** 53 }));
  const subscribe = compiled(messages.subscribe!.payload);
  const from = (value: object) => {
    const message = { ...messages.subscribe!.examples[0]!.payload, from: value };
    const isTaken = parseClientMessage(JSON.stringify(message)).ok;
    assert.equal(subscribe.Check(message), isTaken, JSON.stringify(value));
    return isTaken;
  };
  for (const cursor of ['20261113.0.0', '20261113.4294967295.1']) assert.ok(from({ cursor }));
  for (const cursor of ['', '20261113.1', '20261113.01.1', '20261113.99999999999.1']) {
    assert.ok(!from({ cursor }));
  }
  for (const time of ['1794580260000000000', '0', '2026-11-13', '2026-11-13T14:30:00.5+01:00']) {
    assert.ok(from({ time }));
  }
  for (const time of ['', 'now', '20261113', '2026-11-13T14:30Z', '2026-11-13T14:30:00']) {
    assert.ok(!from({ time }));
  }
});
