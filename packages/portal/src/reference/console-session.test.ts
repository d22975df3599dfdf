import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConsoleSession, LINES_MAX, type SocketEvents } from './console-session.ts';

/** A console whose service is the test. */
function stage(token: () => Promise<string> = async () => 'svc_token_EXAMPLE') {
  const sent: Record<string, unknown>[] = [];
  const closes: (number | undefined)[] = [];
  let events: SocketEvents | null = null;
  const session = new ConsoleSession({
    token,
    open: (listening) => {
      events = listening;
      queueMicrotask(() => listening.opened());
      return {
        send: (text) => sent.push(JSON.parse(text)),
        close: (code) => closes.push(code),
      };
    },
    nowMs: () => 0,
    changed: () => {},
  });
  return {
    session,
    sent,
    closes,
    say: (message: object) => events!.message(JSON.stringify(message)),
    hangUp: (code: number, reason: string) => events!.closed(code, reason),
    kinds: () => session.lines.map(({ kind }) => kind),
  };
}

const SUBSCRIBE = { t: 'subscribe', sub: 'es', instrument: 'ES.c.0', indicator: 'bars' };

test('the token opens the line and is never shown', async () => {
  const { session, sent } = stage();
  await session.connect();
  assert.equal(session.state, 'open');
  assert.deepEqual(sent, [{ t: 'auth', token: 'svc_token_EXAMPLE' }]);
  assert.doesNotMatch(JSON.stringify(session.lines), /svc_token/);
});

test('who is not signed in is told, and may try again', async () => {
  const { session } = stage(() => Promise.reject(new Error('Sign in first.')));
  await assert.rejects(session.connect(), /Sign in first/);
  assert.equal(session.state, 'closed');
});

test('a message that is none is not sent, and the reason is told', async () => {
  const { session, sent } = stage();
  assert.equal(session.send('{}'), 'Connect first.');
  await session.connect();
  assert.match(session.send('{"t":') ?? '', /^This is not JSON/);
  assert.equal(session.send('[1]'), 'A message is one JSON object.');
  assert.match(session.send(`{"t":"${'x'.repeat(70_000)}"}`) ?? '', /at most 65,536 bytes/);
  assert.equal(sent.length, 1);
  assert.equal(session.send(JSON.stringify(SUBSCRIBE)), null);
  assert.deepEqual(sent[1], SUBSCRIBE);
});

test('after a lost line every subscription goes on from its last cursor', async () => {
  const { session, sent, say, hangUp } = stage();
  await session.connect();
  session.send(JSON.stringify(SUBSCRIBE));
  assert.equal(session.canResume, false);
  say({ t: 'snapshot', sub: 'es', cursor: '20261113.1.1', items: [] });
  say({ t: 'upsert', sub: 'es', cursor: '20261113.2.1', id: 'a' });
  assert.equal(session.canResume, true);
  hangUp(4008, 'SLOW_CONSUMER');
  assert.equal(session.state, 'closed');
  assert.equal(session.ended?.reason, 'SLOW_CONSUMER');
  await session.resume();
  const from = { cursor: '20261113.2.1' };
  assert.deepEqual(sent.at(-1), { ...SUBSCRIBE, from });
  // On an open connection the subscription is ended first; its cursor stays until a newer one arrives.
  await session.resume();
  assert.deepEqual(sent.slice(-2), [
    { t: 'unsubscribe', sub: 'es' },
    { ...SUBSCRIBE, from },
  ]);
  say({ t: 'reset', sub: 'es', reason: 'cursor_expired' });
  assert.equal(session.canResume, false);
});

test('what was ended or refused is not asked for again', async () => {
  const { session, say } = stage();
  await session.connect();
  session.send(JSON.stringify(SUBSCRIBE));
  session.send(JSON.stringify({ ...SUBSCRIBE, sub: 'nq' }));
  assert.deepEqual(session.names, ['es', 'nq']);
  say({ t: 'error', sub: 'nq', code: 'QUOTA_EXCEEDED', message: 'Two subscriptions are open.' });
  assert.deepEqual(session.names, ['es']);
  session.unsubscribe('es');
  assert.deepEqual(session.names, []);
});

test('only the newest lines are kept, and what keeps the line alive is not among them', async () => {
  const { session, say, sent, kinds } = stage();
  await session.connect();
  session.keepAlive();
  say({ t: 'pong', ts: '1' });
  assert.deepEqual(kinds(), [null]);
  session.ping();
  assert.deepEqual(sent.at(-1), { t: 'ping', id: 1 });
  say({ t: 'pong', id: 1, ts: '1' });
  assert.deepEqual(kinds(), [null, 'ping', 'pong']);
  for (let count = 0; count < 2 * LINES_MAX; count += 1) say({ t: 'hb', ts: `${count}` });
  assert.equal(session.lines.length, LINES_MAX);
  assert.match(session.lines.at(-1)!.text, /"599"/);
  say({ t: 'snapshot', sub: 'es', items: ['x'.repeat(30_000)] });
  const { text, length } = session.lines.at(-1)!;
  assert.deepEqual([text.length, length], [20_000, 30_040]);
  session.clear();
  assert.equal(session.lines.length, 0);
});

test('whoever disconnects while it connects stays disconnected', async () => {
  const { session, sent } = stage();
  const connecting = session.connect();
  session.disconnect();
  await connecting;
  assert.equal(session.state, 'closed');
  assert.deepEqual(sent, []);
});
