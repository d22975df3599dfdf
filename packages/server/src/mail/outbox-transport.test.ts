import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import PostalMime from 'postal-mime';
import { OUTBOX_SENDER } from '../config/mail-sender.ts';
import { MailFault } from './mail-transport.ts';
import type { OutgoingMail } from './mailer.ts';
import { OutboxTransport } from './outbox-transport.ts';
import { signInMail } from './texts/sign-in-mails.ts';

const directory = mkdtempSync(join(tmpdir(), 'tapeloom-outbox-'));
after(() => rmSync(directory, { recursive: true }));
const LINK = 'http://127.0.0.1:8080/sign-in#svc_link_000000000000000000000000000000000';
let time = Date.parse('2026-11-16T09:00:00Z');

function outbox(name: string, filesMax?: number): { path: string; transport: OutboxTransport } {
  const path = join(directory, name);
  const now = () => {
    time += 1;
    return new Date(time);
  };
  const limit = filesMax === undefined ? {} : { filesMax };
  return {
    path,
    transport: new OutboxTransport({ directory: path, sender: OUTBOX_SENDER, now, ...limit }),
  };
}

function mailTo(to: string): OutgoingMail {
  return { to, ...signInMail({ link: LINK, expiresInMinutes: 15 }) };
}

test('a mail is a file that its owner alone can read, with the link on a line of its own [PORTAL-01]', async () => {
  const { path, transport } = outbox('whole');
  await transport.deliver(mailTo('ada@example.com'));
  const [name] = readdirSync(path);
  assert.match(name!, /^20261116T\d{9}Z-[0-9a-f]{16}\.eml$/);
  assert.equal(statSync(join(path, name!)).mode & 0o777, 0o600);
  assert.equal(statSync(path).mode & 0o777, 0o700);
  const content = readFileSync(join(path, name!), 'utf8');
  assert.ok(content.split('\r\n').includes(LINK));
  const { to, subject, text, html } = await PostalMime.parse(content);
  assert.equal(to?.[0]?.address, 'ada@example.com');
  assert.equal(subject, 'Sign in to Tapeloom');
  assert.ok(text?.includes(LINK) && html?.includes(LINK));
});

test('the folder keeps the newest and leaves what is not its own', async () => {
  const { path, transport } = outbox('bounded', 3);
  await transport.deliver(mailTo('first@example.com'));
  const [oldest] = readdirSync(path);
  writeFileSync(join(path, 'notes.txt'), 'mine');
  writeFileSync(join(path, `${oldest}.tmp`), 'left by a process that died');
  const readers = ['a', 'b', 'c', 'd'].map((name) => `${name}@example.com`);
  await Promise.all(readers.map((reader) => transport.deliver(mailTo(reader))));
  const names = readdirSync(path).sort();
  assert.equal(names.length, 4);
  assert.ok(names.includes('notes.txt'));
  assert.equal(transport.filesCount, 3);
  const kept = names
    .filter((name) => name.endsWith('.eml'))
    .map((name) => /^To: (.*)\r$/m.exec(readFileSync(join(path, name), 'utf8'))?.[1]);
  assert.deepEqual(kept, readers.slice(1));
});

test('a folder that cannot be written is a fault to be waited for, without a word of the mail', async () => {
  const { path, transport } = outbox('blocked');
  writeFileSync(path, 'no folder');
  await assert.rejects(transport.deliver(mailTo('ada@example.com')), (error) => {
    assert.ok(error instanceof MailFault);
    assert.deepEqual([error.of, error.isFinal, error.cause], ['server', false, undefined]);
    assert.doesNotMatch(error.message, /ada|svc_link/);
    return true;
  });
  rmSync(path);
  await transport.deliver(mailTo('ada@example.com'));
  assert.equal(readdirSync(path).length, 1);
});
