import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { ManualClock } from '../../../../simulation/clock/manual-clock.ts';
import { MailQueue } from './mail-queue.ts';
import { MailFault } from './mail-transport.ts';
import type { LinkMail } from './mailer.ts';

const START = 1_794_700_000_000_000_000n;
const SERVER_DOWN = new MailFault('down', { of: 'server', isFinal: false });
const PUT_OFF = new MailFault('greylisted', { of: 'mail', isFinal: false });
const REFUSED = new MailFault('no such mailbox', { of: 'mail', isFinal: true });

function mail(to: string, usefulMinutes = 60): LinkMail {
  return { to, subject: 'Hello', text: 'text', html: '<p>html</p>', usefulMinutes };
}

type Answer = MailFault | null | 'never';

/** A queue on a manual clock, with a mail server whose replies the test controls. */
function stage() {
  const clock = new ManualClock(START);
  const told: string[] = [];
  const tries: string[] = [];
  const state = { answer: null as Answer, failsFor: /^$/, mostAtOnce: 0, atOnce: 0 };
  const queue = new MailQueue({
    clock,
    transport: {
      deliver: async ({ to }, signal) => {
        tries.push(to);
        state.atOnce += 1;
        state.mostAtOnce = Math.max(state.mostAtOnce, state.atOnce);
        try {
          await setImmediate();
          if (state.answer === 'never') {
            await new Promise((_, reject) => signal.addEventListener('abort', reject));
          }
          if (state.failsFor.test(to)) throw SERVER_DOWN;
          if (state.answer !== null) throw state.answer;
        } finally {
          state.atOnce -= 1;
        }
      },
    },
    onFailing: () => told.push('failing'),
    onWorking: () => told.push('working'),
    onLost: (outcome) => told.push(outcome),
  });
  /** Advances the clock in steps, and lets the started work finish. */
  const pass = async (ms: number, stepMs = ms) => {
    for (let passed = 0; passed < ms; passed += stepMs) {
      clock.advance(stepMs);
      await queue.idle();
    }
  };
  return { clock, queue, told, tries, state, pass };
}

test('mails are delivered behind the call, a few at a time, in the order they came', async () => {
  const { queue, tries, state, clock } = stage();
  const readers = Array.from({ length: 12 }, (_, index) => `reader${index}@example.com`);
  for (const reader of readers) queue.send(mail(reader, 15));
  assert.equal(queue.waitingCount, 12);
  await queue.idle();
  assert.deepEqual(tries, readers);
  assert.equal(state.mostAtOnce, 4);
  assert.deepEqual(queue.outcomes, { sent: 12, refused: 0, expired: 0, no_room: 0 });
  assert.equal(queue.waitingCount, 0);
  assert.equal(clock.timerCount, 0);
});

test('while the server is down one mail at a time finds out whether it is back, and all arrive then', async () => {
  const { queue, told, tries, state, pass } = stage();
  state.answer = SERVER_DOWN;
  for (let index = 0; index < 100; index += 1) queue.send(mail(`r${index}@example.com`));
  await queue.idle();
  const first = tries.length;
  assert.ok(first <= 4, String(first));
  await pass(10 * 60_000, 1_000);
  // 1, 2, 4, 8, 16 s, then every half minute: a hundred mails do not cause a hundred concurrent tries.
  assert.ok(tries.length - first <= 26, String(tries.length - first));
  assert.deepEqual(told, ['failing']);
  assert.equal(queue.waitingCount, 100);
  state.answer = null;
  await pass(5 * 60_000, 1_000);
  assert.deepEqual(told, ['failing', 'working']);
  assert.equal(queue.outcomes.sent, 100);
  assert.equal(queue.triesFailedTotal, tries.length - 100);
});

test('readers over whom the server always fails keep nobody else waiting', async () => {
  const { queue, state, pass, tries } = stage();
  state.failsFor = /^tarpit/;
  for (let index = 0; index < 20; index += 1) queue.send(mail(`tarpit${index}@example.com`));
  await queue.idle();
  await pass(10 * 60_000, 1_000);
  for (const reader of ['ada@example.com', 'eve@example.com']) {
    queue.send(mail(reader, 15));
    await pass(31_000, 1_000);
    assert.ok(tries.includes(reader), reader);
  }
  assert.equal(queue.outcomes.sent, 2);
  assert.equal(queue.waitingCount, 20);
});

test('a link that somebody waits for is tried every half minute, and not after it has ended', async () => {
  const { queue, tries, state, pass } = stage();
  state.answer = SERVER_DOWN;
  queue.send(mail('ada@example.com', 15));
  await queue.idle();
  await pass(15 * 60_000, 1_000);
  assert.ok(tries.length > 30, String(tries.length));
  await pass(60_000, 1_000);
  const count = tries.length;
  assert.deepEqual(queue.outcomes, { sent: 0, refused: 0, expired: 1, no_room: 0 });
  await pass(10 * 60_000, 10_000);
  assert.equal(tries.length, count);
  assert.equal(queue.waitingCount, 0);
});

test('a reader who is put off waits alone, and one who is refused is given up', async () => {
  const { queue, tries, told, state, pass } = stage();
  state.answer = PUT_OFF;
  queue.send(mail('slow@example.com'));
  await queue.idle();
  state.answer = REFUSED;
  queue.send(mail('gone@example.com'));
  await queue.idle();
  assert.deepEqual([tries, told], [['slow@example.com', 'gone@example.com'], ['refused']]);
  state.answer = null;
  queue.send(mail('ada@example.com'));
  await queue.idle();
  assert.equal(queue.outcomes.sent, 1);
  await pass(1_000);
  assert.equal(queue.outcomes.sent, 2);
});

test('a server that never answers is left after a minute', async () => {
  const { queue, told, state, clock } = stage();
  state.answer = 'never';
  queue.send(mail('ada@example.com'));
  for (let turn = 0; turn < 5; turn += 1) await setImmediate();
  assert.deepEqual(told, []);
  clock.advance(60_000);
  await queue.idle();
  assert.deepEqual(told, ['failing']);
});

test('nobody fills the queue: neither one mailbox, nor sign-in links of all the world', async () => {
  const { queue, state } = stage();
  state.answer = SERVER_DOWN;
  for (let index = 0; index < 50; index += 1) queue.send(mail('Ada@example.com', 15));
  assert.equal(queue.waitingCount, 20);
  for (let index = 0; index < 2_000; index += 1) queue.send(mail(`r${index}@example.com`, 15));
  assert.equal(queue.waitingCount, 750);
  assert.equal(queue.outcomes.no_room, 30 + 1_270);
});

test('what is no mail is refused and never thrown', () => {
  const { queue, told } = stage();
  queue.send(mail('nobody'));
  queue.send(mail('ada@example.com\r\nBcc: eve@example.com'));
  queue.send({ ...mail('ada@example.com'), text: 'x'.repeat(300_000) });
  assert.deepEqual(told, ['refused', 'refused', 'refused']);
  assert.equal(queue.waitingCount, 0);
});

test('an end waits a moment for what is under way, and takes no more', async () => {
  const { queue, told, state, clock } = stage();
  state.answer = 'never';
  queue.send(mail('ada@example.com', 15));
  const ended = queue[Symbol.asyncDispose]();
  for (let turn = 0; turn < 5; turn += 1) await setImmediate();
  clock.advance(2_000);
  await ended;
  assert.deepEqual(told, ['expired']);
  queue.send(mail('ada@example.com'));
  assert.equal(queue.outcomes.no_room, 1);
  assert.equal(clock.timerCount, 0);
});
