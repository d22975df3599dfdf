import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { ManualClock } from '../../../../simulation/clock/manual-clock.ts';
import type { MailsStore } from '../accounts/mails/mails-store.ts';
import { PublicAddress } from '../config/public-address.ts';
import { createLog } from '../platform/log/log.ts';
import { MailServices } from './mail-services.ts';
import type { LinkMail } from './mailer.ts';
import { claimMail, signInMail } from './texts/sign-in-mails.ts';

const directory = mkdtempSync(join(tmpdir(), 'tapeloom-mails-'));
after(() => rmSync(directory, { recursive: true }));
let directories = 0;

const TOKEN = 'svc_link_000000000000000000000000000000000';
const LOCAL = 'http://127.0.0.1:8080';
const HERE = { host: '127.0.0.1:9464', address: '127.0.0.1' };

/** Nothing is owed. */
const mails: MailsStore = {
  oweMail: async () => undefined,
  waitingMails: async () => ({ count: 0, due: 0 }),
  takeMails: async () => [],
  mailSent: async () => undefined,
  putMailOff: async () => undefined,
  giveMailUp: async () => undefined,
};

interface Setting {
  readonly publicUrl?: string | null;
  readonly smtpUrl?: string | null;
  readonly support?: string | null;
}

function mailServices({ publicUrl = null, smtpUrl = null, support = null }: Setting = {}) {
  directories += 1;
  const data = join(directory, String(directories));
  const logged: string[] = [];
  const shown: string[] = [];
  const log = createLog({ level: 'trace', readable: false, write: (line) => logged.push(line) });
  const mail = new MailServices({
    config: {
      data,
      smtpUrl,
      mailFrom: smtpUrl === null ? null : 'no-reply@example.com',
      support,
    },
    publicAddress: new PublicAddress(publicUrl, 8080),
    clock: new ManualClock(1_794_700_000_000_000_000n),
    log,
    owed: { store: { mails }, inTurn: (work) => work(), textOf: async () => null },
    showLink: (...words) => shown.push(words.join(' ')),
  });
  return { data, mail, logged, shown };
}

function signIn(origin = LOCAL): LinkMail {
  const link = `${origin}/sign-in#${TOKEN}`;
  return { to: 'ada@example.com', ...signInMail({ link, expiresInMinutes: 15 }) };
}

test('who develops finds the mail as a file, in the mailbox and on the terminal, and nothing in the log', async () => {
  const { data, mail, logged, shown } = mailServices();
  mail.send(signIn());
  await mail.queue.idle();
  assert.equal(readdirSync(join(data, 'outbox')).length, 1);
  assert.deepEqual(shown, [`Sign in to Tapeloom ada@example.com ${LOCAL}/sign-in#${TOKEN}`]);
  const page = mail.answer({ url: '/mailbox', ...HERE });
  assert.equal(page?.status, 200);
  assert.match(page!.body, new RegExp(`<a class="open" href="${LOCAL}/sign-in#${TOKEN}">`));
  assert.match(page!.body, /to <bdi>ada@example\.com<\/bdi>/);
  await mail[Symbol.asyncDispose]();
  assert.deepEqual(logged, []);
});

test('a service that others can reach has neither mailbox nor links on the terminal, and warns', async () => {
  const { data, mail, logged, shown } = mailServices({ publicUrl: 'https://tapeloom.example.com' });
  mail.tellWhatIsMissing();
  mail.send(signIn());
  await mail.queue.idle();
  assert.equal(readdirSync(join(data, 'outbox')).length, 1);
  assert.deepEqual(shown, []);
  assert.equal(mail.answer({ url: '/mailbox', ...HERE }), null);
  assert.match(logged.join(), /mails are files and reach nobody: TAPELOOM_SMTP_URL is not set/);
  await mail[Symbol.asyncDispose]();
});

test('with a mail server there is no mailbox, and a failure is logged without reader, token or text', async () => {
  const { mail, logged, shown } = mailServices({ smtpUrl: 'smtp://ada:hunter2@127.0.0.1:1' });
  mail.tellWhatIsMissing();
  mail.send(signIn());
  mail.send({ ...signIn(), to: 'nobody' });
  await mail.queue.idle();
  assert.deepEqual([shown, mail.answer({ url: '/mailbox', ...HERE })], [[], null]);
  const text = logged.join('');
  assert.match(text, /mail cannot be delivered; it is tried again/);
  assert.match(text, /ECONNREFUSED/);
  assert.doesNotMatch(text, /ada[@:]|hunter2|svc_link|Sign in/);
  await mail[Symbol.asyncDispose]();
  assert.doesNotMatch(logged.join(''), /ada[@:]|hunter2|svc_link|Sign in/);
});

test('an outbox that fails is told once, and again when it works', async () => {
  const { data, mail, logged } = mailServices();
  writeFileSync(data, 'no directory');
  mail.send(signIn());
  mail.send(signIn());
  await mail.queue.idle();
  assert.equal(logged.filter((line) => line.includes('cannot be delivered')).length, 1);
  assert.doesNotMatch(logged.join(''), /ada@|svc_link/);
  await mail[Symbol.asyncDispose]();
});

test('the mailbox answers callers on this machine only, by a name of this machine', async () => {
  const { mail } = mailServices();
  mail.send(signIn());
  for (const host of ['localhost:9464', '127.0.0.1', '[::1]:9464']) {
    for (const address of ['127.0.0.1', '::1', '::ffff:127.0.0.1']) {
      assert.equal(mail.answer({ url: '/mailbox', host, address })?.status, 200, host);
    }
  }
  for (const [host, address] of [
    ['evil.example', '127.0.0.1'],
    ['127.0.0.1.evil.example:9464', '127.0.0.1'],
    ['localhost.evil.example', '127.0.0.1'],
    [undefined, '127.0.0.1'],
    ['127.0.0.1:9464', '192.0.2.7'],
    ['127.0.0.1:9464', '::ffff:192.0.2.7'],
    ['127.0.0.1:9464', undefined],
  ] as const) {
    for (const url of ['/mailbox', '/mailbox/1']) {
      const answer = mail.answer({ url, host, address });
      assert.equal(answer?.status, 403, `${host} ${address}`);
      assert.doesNotMatch(answer!.body, /svc_link/);
    }
  }
  await mail[Symbol.asyncDispose]();
});

test('the mailbox runs nothing, shows what was typed as text, and keeps the newest fifty', async () => {
  const { mail } = mailServices();
  const empty = mail.answer({ url: '/mailbox', ...HERE })!;
  assert.match(empty.body, /http-equiv="refresh"/);
  const account = '<script>alert(1)</script>';
  const link = `${LOCAL}/sign-in#${TOKEN}`;
  mail.send({ to: 'ada@example.com', ...claimMail({ link, expiresInMinutes: 15, account }) });
  const page = mail.answer({ url: '/mailbox', ...HERE })!;
  assert.doesNotMatch(page.body, /<script/);
  assert.match(page.body, /&lt;script&gt;/);
  assert.doesNotMatch(page.body, /style="/);
  const policy = page.headers['content-security-policy']!;
  assert.match(policy, /^default-src 'none'; style-src 'sha256-[^']+';/);
  assert.doesNotMatch(policy, /unsafe/);
  const whole = mail.answer({ url: '/mailbox/1', ...HERE })!;
  assert.match(whole.body, /<h1/);
  assert.match(whole.headers['content-security-policy']!, /default-src 'none';.*sandbox/);
  for (let number = 2; number <= 60; number += 1) mail.send(signIn());
  assert.equal(mail.answer({ url: '/mailbox', ...HERE })!.body.split('<article>').length - 1, 50);
  assert.equal(mail.answer({ url: '/mailbox/1', ...HERE })?.status, 404);
  assert.equal(mail.answer({ url: '/mailbox/60', ...HERE })?.status, 200);
  assert.equal(mail.answer({ url: '/mailboxes', ...HERE }), null);
  await mail.queue.idle();
  await mail[Symbol.asyncDispose]();
});

test('every mail says where help is to be had, if the operator gives any', async () => {
  const { mail } = mailServices({ support: 'help@example.com' });
  await using _ = mail;
  mail.send(signIn());
  const sent = mail.answer({ url: '/mailbox/1', ...HERE });
  assert.match(String(sent?.body), /help@example\.com/);
});
