import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Entitlements } from '@tapeloom/core/entitlement/entitlements';
import { type KeyRights, SCOPES } from '@tapeloom/core/entitlement/key-rights';
import type { Plan } from '@tapeloom/core/entitlement/plan';
import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import { addDays, epochNs, utcDay } from '@tapeloom/core/utc-day';
import type { SubscribeMessage } from '@tapeloom/protocol/client-messages';
import type { Caller } from '../../accounts/auth/caller.ts';
import type { StreamContext, StreamRequest } from '../delivery/stream-request.ts';
import { Connection, DEFERRED_MESSAGES_MAX } from './connection.ts';
import type { ConnectionAction, ConnectionEvent } from './connection-events.ts';

const DAY = utcDay(20261112);
const NOW = epochNs(DAY, 0);
const OPENED: ConnectionEvent = { t: 'opened', authorization: 'Bearer x', address: '192.0.2.1' };
const NO_HEADER: ConnectionEvent = { t: 'opened', authorization: undefined, address: '192.0.2.1' };
const ADMITTED: ConnectionEvent = { t: 'admitted', isGranted: true };

function caller(more: Partial<KeyRights> = {}, plan: Plan = 'live'): Caller {
  const rights = { environment: 'live', instruments: null, allowedIps: null } as const;
  const entitlements = Entitlements.of(
    { ...rights, scopes: SCOPES, expiresAt: null, ...more },
    plan,
  );
  return { accountId: 'a', keyId: 'k', isSuspended: false, entitlements };
}

function accepted(who: Caller = caller()): ConnectionEvent {
  return { t: 'judged', authentication: { verdict: 'accepted', caller: who } };
}

function text(message: unknown): ConnectionEvent {
  return { t: 'text', text: JSON.stringify(message), now: NOW, tapeTimeOf: () => NOW };
}

/** So many days later. */
function midnight(count: number): EpochNs {
  return epochNs(addDays(DAY, count), 0);
}

/** Contracts are named by the instrument; `alias` means another one each day. */
function resolve(message: SubscribeMessage, { day, entitlements }: StreamContext): StreamRequest {
  const contract = message.instrument === 'alias' ? `${day}` : message.instrument;
  const { delaySeconds } = entitlements.limits;
  const spec = { contract, indicator: 'bars', params: {}, delaySeconds };
  const configuration = message.params === undefined ? null : `${contract} custom`;
  return {
    message,
    spec,
    tickSizeNanos: 1,
    mode: 'live',
    depth: 500,
    configuration,
    start: message.from === undefined ? { t: 'live' } : { t: 'time', time: NOW },
    rules: { contractOn: () => contract, epochReset: () => null },
    unitsPerTrade: 1,
    meansSince: message.instrument === 'alias' ? day : (0 as UtcDay),
    isMoved: false,
    rollsOn: message.instrument === 'alias' ? addDays(day, 1) : null,
    ...(message.instrument === 'leaving' && { removedOn: '2027-06-01' }),
  };
}

/** Its own number is 0, so that its subscriptions have 1, 2, 3 … */
function connection(): Connection {
  let last = -1;
  return new Connection({
    resolve,
    nextNumber: () => {
      last += 1;
      return last;
    },
  });
}

function open(who?: Caller): Connection {
  const made = connection();
  for (const event of [OPENED, accepted(who), ADMITTED]) made.step(event);
  return made;
}

function subscribe(sub: string, instrument = 'AA', more = {}) {
  return text({ t: 'subscribe', sub, instrument, indicator: 'bars', ...more });
}

function begun(sub: string): ConnectionEvent {
  return { t: 'begun', sub, now: (NOW - 9_000_000_000_000n) as EpochNs };
}

/** Subscribes, is granted the leases, and has begun. */
function subscribed(one: Connection, sub: string, instrument?: string, more?: object): number {
  const [lease] = one.step(subscribe(sub, instrument, more));
  assert.ok(lease?.t === 'lease');
  one.step({ t: 'leased', number: lease.number, refused: null });
  one.step(begun(sub));
  return lease.number;
}

function kinds(actions: readonly { readonly t: string }[]): readonly string[] {
  return actions.map((action) => action.t);
}

function closeOf(actions: readonly ConnectionAction[]): readonly [number, string] | null {
  const [close] = actions;
  return close?.t === 'close' ? [close.code, close.reason] : null;
}

test('a header is judged, the account counted, and what arrives meanwhile is deferred until both are done', () => {
  const one = connection();
  assert.deepEqual(one.step(OPENED), [{ t: 'judge', authorization: 'Bearer x' }]);
  const pings = [text({ t: 'ping', id: 1 }), text({ t: 'ping', id: 2 })] as const;
  assert.deepEqual(one.step(pings[0]), []);
  assert.deepEqual(kinds(one.step(accepted())), ['admit']);
  assert.equal(one.caller?.keyId, 'k');
  assert.deepEqual(one.step(pings[1]), []);
  assert.deepEqual(one.step(ADMITTED), [{ t: 'replay', events: pings }]);
});

test('without a header the first message must be an auth, and its token is judged once', () => {
  const one = connection();
  assert.deepEqual(one.step(NO_HEADER), [{ t: 'await-auth', withinMs: 5_000 }]);
  const auth = text({ t: 'auth', token: 'x' });
  assert.deepEqual(one.step(auth), [{ t: 'consume-token', token: 'x' }]);
  assert.deepEqual([one.step(auth), one.step({ t: 'auth-overdue' })], [[], []]);
  one.step(accepted());
  assert.deepEqual(one.step(ADMITTED), [{ t: 'replay', events: [auth] }]);
  assert.deepEqual(one.step(auth), []);
});

test('a first message with more than a token is no auth', () => {
  for (const message of [
    { t: 'auth' },
    { t: 'auth', token: '' },
    { t: 'auth', token: 7 },
    { t: 'auth', token: 'x'.repeat(513) },
    { t: 'auth', token: 'x', more: 1 },
    ['auth'],
    { t: 'ping' },
  ]) {
    const one = connection();
    one.step(NO_HEADER);
    assert.equal(closeOf(one.step(text(message)))?.[0], 4001, JSON.stringify(message));
  }
});

test('who may not stream is closed with 4003 before anything is counted', () => {
  const suspended = { ...caller(), isSuspended: true };
  const scopeless = caller({ scopes: ['history', 'export', 'keys'] });
  const elsewhere = caller({ allowedIps: ['198.51.100.0/24'] });
  for (const who of [suspended, scopeless, elsewhere]) {
    const one = connection();
    one.step(OPENED);
    assert.deepEqual(closeOf(one.step(accepted(who))), [4003, 'FORBIDDEN']);
  }
  for (const [who, isLetIn] of [
    [suspended, false],
    [scopeless, false],
    [elsewhere, true],
  ] as const) {
    const one = connection();
    one.step(NO_HEADER);
    one.step(text({ t: 'auth', token: 'x' }));
    assert.equal(one.step(accepted(who))[0]?.t, isLetIn ? 'admit' : 'close');
  }
});

test('a connection too many is closed with 4029, whatever is deferred', () => {
  const one = connection();
  for (const event of [OPENED, accepted(), text({ t: 'ping' })]) one.step(event);
  assert.equal(closeOf(one.step({ t: 'admitted', isGranted: false }))?.[0], 4029);
});

test('a client that sends too much while it has to wait is closed with 1008', () => {
  const one = connection();
  one.step(OPENED);
  for (let sent = 0; sent < DEFERRED_MESSAGES_MAX; sent += 1) {
    assert.deepEqual(one.step(text({ t: 'ping' })), []);
  }
  assert.equal(closeOf(one.step(text({ t: 'ping' })))?.[0], 1008);
  assert.deepEqual(one.step(accepted()), []);
});

test('after a close nothing is answered any more', () => {
  const events: readonly ConnectionEvent[] = [
    text({ t: 'ping' }),
    subscribe('b'),
    { t: 'binary' },
    { t: 'overflow' },
    { t: 'shutdown' },
    { t: 'key-ended' },
    { t: 'rights-changed', caller: null },
    { t: 'leased', number: 1, refused: null },
    { t: 'heartbeat', now: NOW, cursors: new Map([['a', '20261112.1.1']]) },
    begun('a'),
    { t: 'judge-again', now: NOW, tapeTimeOf: () => NOW },
    { t: 'subscriptions-beyond', beyond: new Map([[1, 'subscription']]) },
    { t: 'tape-day', delaySeconds: 0, now: NOW, tapeTimeOf: () => midnight(1) },
    { t: 'move-on' },
  ];
  const closing: readonly ConnectionEvent[] = [
    { t: 'rate-exceeded' },
    { t: 'silent' },
    { t: 'connection-beyond' },
    { t: 'binary' },
    { t: 'overflow' },
    { t: 'shutdown' },
    { t: 'key-ended' },
    { t: 'rights-changed', caller: null },
    { t: 'rights-changed', caller: { ...caller(), isSuspended: true } },
  ];
  for (const close of closing) {
    const one = open();
    subscribed(one, 'a', 'alias');
    assert.equal(one.step(close).at(-1)?.t, 'close');
    for (const event of events) assert.deepEqual(one.step(event), []);
  }
});

test('a subscription is counted, started, told of, and gone after its end', () => {
  const one = open();
  const [lease] = one.step(subscribe('a'));
  const { entitlements } = caller();
  assert.deepEqual(lease, { t: 'lease', number: 1, configuration: null, entitlements });
  const leased = { t: 'leased', number: 1, refused: null } as const;
  assert.deepEqual(kinds(one.step(leased)), ['subscribe']);
  assert.deepEqual(one.step(begun('a')), []);
  const ended = { t: 'ended', sub: 'a', reply: { code: 'INTERNAL', message: 'm' } } as const;
  assert.deepEqual(one.step(ended), [
    { t: 'unsubscribe', sub: 'a' },
    { t: 'release', number: 1, what: 'all' },
    { t: 'send', message: { t: 'error', sub: 'a', code: 'INTERNAL', message: 'm' } },
  ]);
  assert.deepEqual([one.step(ended), one.step(begun('a')), one.step(leased)], [[], [], []]);
  assert.equal(subscribed(one, 'a'), 2);
  assert.deepEqual(one.step(text({ t: 'unsubscribe', sub: 'a' })), [
    { t: 'unsubscribe', sub: 'a' },
    { t: 'release', number: 2, what: 'all' },
  ]);
});

test('messages behind a subscribe are deferred until it is counted, and a refusal frees its name', () => {
  const one = open();
  one.step(subscribe('a'));
  const behind = [text({ t: 'ping' }), subscribe('a')];
  for (const event of behind) assert.deepEqual(one.step(event), []);
  for (const [refused, code] of [
    ['subscription', 'QUOTA_EXCEEDED'],
    ['configuration', 'QUOTA_EXCEEDED'],
  ] as const) {
    const two = open();
    two.step(subscribe('a'));
    const [error] = two.step({ t: 'leased', number: 1, refused });
    assert.ok(error?.t === 'send' && error.message.t === 'error');
    assert.deepEqual([error.message.sub, error.message.code], ['a', code]);
    assert.deepEqual(kinds(two.step(subscribe('a'))), ['lease']);
  }
  const actions = one.step({ t: 'leased', number: 1, refused: null });
  assert.deepEqual(kinds(actions), ['subscribe', 'replay']);
  assert.deepEqual(actions[1], { t: 'replay', events: behind });
});

test('while nobody can count, who has a stream keeps it, and who has none is asked to come back', () => {
  const one = open();
  one.step(subscribe('a'));
  one.step(subscribe('b'));
  const fault = (number: number) => ({ t: 'leased', number, refused: 'fault' }) as const;
  assert.deepEqual(one.step(fault(7)), []);
  assert.deepEqual(one.step(fault(1)), [{ t: 'close', code: 1013, reason: 'Try again later' }]);
  const two = open();
  subscribed(two, 'a');
  two.step({ t: 'begun', sub: 'a', now: NOW });
  two.step(subscribe('b'));
  const [error, ...others] = two.step(fault(2));
  assert.ok(error?.t === 'send' && error.message.t === 'error');
  assert.deepEqual([error.message.sub, error.message.code, others], ['b', 'CAPACITY', []]);
  assert.deepEqual(kinds(two.step(subscribe('b'))), ['lease']);
});

test('that an indicator is to go is announced once, when its first subscription begins', () => {
  const one = open();
  const beginning = (sub: string) => {
    const [lease] = one.step(subscribe(sub, 'leaving'));
    assert.ok(lease?.t === 'lease');
    one.step({ t: 'leased', number: lease.number, refused: null });
    return one.step(begun(sub));
  };
  const effectiveAt = '1811808000000000000';
  assert.deepEqual(beginning('first'), [
    { t: 'send', message: { t: 'notice', kind: 'deprecation', effectiveAt, indicator: 'bars' } },
  ]);
  assert.deepEqual(beginning('second'), []);
});

test('a new tape day moves aliases that roll, in two parts, and nothing else', () => {
  const one = open();
  subscribed(one, 'symbol');
  subscribed(one, 'rolls', 'alias', { params: {} });
  const dayAt = (count: number, delaySeconds = 0) =>
    ({ t: 'tape-day', delaySeconds, now: NOW, tapeTimeOf: () => midnight(count) }) as const;
  assert.deepEqual(one.step(dayAt(0)), []);
  assert.deepEqual(one.step(dayAt(1, 600)), []);
  assert.deepEqual(one.step(dayAt(1)), [
    { t: 'unsubscribe', sub: 'rolls' },
    { t: 'send', message: { t: 'reset', sub: 'rolls', reason: 'roll' } },
    { t: 'release', number: 2, what: 'configuration' },
  ]);
  const { entitlements } = caller();
  const configuration = '20261113 custom';
  assert.deepEqual(one.step({ t: 'move-on' }), [
    { t: 'lease', number: 2, configuration, entitlements },
  ]);
  assert.deepEqual(one.step({ t: 'move-on' }), []);
  const [next] = one.step({ t: 'leased', number: 2, refused: null });
  assert.ok(next?.t === 'subscribe' && next.request.spec.contract === '20261113');
  assert.ok(next.request.isMoved, 'nobody has asked for it, so it costs nobody an open');
});

test('a roll that meets a subscription being counted starts it once, on the new contract', () => {
  const one = open();
  one.step(subscribe('rolls', 'alias'));
  const rolling = one.step({
    t: 'tape-day',
    delaySeconds: 0,
    now: NOW,
    tapeTimeOf: () => midnight(1),
  });
  assert.deepEqual(kinds(rolling), ['unsubscribe', 'release']);
  assert.deepEqual(one.step({ t: 'leased', number: 1, refused: null }), []);
  assert.deepEqual(kinds(one.step({ t: 'move-on' })), ['lease']);
  const [next] = one.step({ t: 'leased', number: 1, refused: null });
  assert.ok(next?.t === 'subscribe' && next.request.spec.contract === '20261113');
});

test('the day of a delayed tape is the one the caller sees', () => {
  const one = open(caller({}, 'sandbox'));
  const [lease] = one.step(subscribe('rolls', 'alias'));
  assert.ok(lease?.t === 'lease');
  const [next] = one.step({ t: 'leased', number: lease.number, refused: null });
  assert.ok(next?.t === 'subscribe');
  assert.deepEqual([next.request.spec.contract, next.request.spec.delaySeconds], ['20261111', 600]);
});

test('a subscription whose delay has just changed does not follow its topic into another contract', () => {
  const one = open();
  subscribed(one, 'rolls', 'alias');
  one.step({ t: 'rights-changed', caller: caller({}, 'sandbox') });
  const tapeTimeOf = () => midnight(1);
  assert.deepEqual(one.step({ t: 'tape-day', delaySeconds: 0, now: NOW, tapeTimeOf }), [
    { t: 'unsubscribe', sub: 'rolls' },
    { t: 'send', message: { t: 'reset', sub: 'rolls', reason: 'entitlement_changed' } },
    { t: 'release', number: 1, what: 'configuration' },
  ]);
  assert.deepEqual(one.step({ t: 'judge-again', now: NOW, tapeTimeOf }), []);
  assert.deepEqual(kinds(one.step({ t: 'move-on' })), ['lease']);
  const [next] = one.step({ t: 'leased', number: 1, refused: null });
  assert.ok(next?.t === 'subscribe');
  assert.deepEqual([next.request.spec.contract, next.request.spec.delaySeconds], ['20261112', 600]);
});

test('changed rights hold for what comes next', () => {
  const one = open();
  subscribed(one, 'a');
  assert.deepEqual(one.step({ t: 'rights-changed', caller: caller({}, 'sandbox') }), []);
  const [lease] = one.step(subscribe('b'));
  assert.ok(lease?.t === 'lease' && lease.entitlements.limits.maxSubscriptions === 2);
});
