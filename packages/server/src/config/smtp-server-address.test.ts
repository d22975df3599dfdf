import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mailSender } from './mail-sender.ts';
import { smtpServerAddress } from './smtp-server-address.ts';

test('a mail server is reached by TLS or not at all, but on this machine', () => {
  assert.deepEqual(smtpServerAddress('smtp://ada:p%40ss%3Aword@mail.example.com'), {
    host: 'mail.example.com',
    port: 587,
    tls: 'upgrade',
    login: { user: 'ada', password: 'p@ss:word' },
  });
  assert.deepEqual(smtpServerAddress('smtps://mail.example.com:2465/'), {
    host: 'mail.example.com',
    port: 2465,
    tls: 'start',
    login: null,
  });
  for (const [text, tls] of [
    ['smtp://127.0.0.1:25', 'none'],
    ['smtp://localhost', 'none'],
    ['smtp://[::1]:25', 'none'],
    ['smtps://127.0.0.1', 'start'],
    ['smtp://localhost.example.com', 'upgrade'],
    ['smtp://10.0.0.1', 'upgrade'],
    ['smtp://[2001:db8::1]', 'upgrade'],
  ] as const) {
    assert.equal(smtpServerAddress(text)?.tls, tls, text);
  }
});

test('anything else is no mail server', () => {
  for (const text of [
    '',
    'mail.example.com',
    'http://mail.example.com',
    'smtp://',
    'smtp://ada@mail.example.com',
    'smtp://:secret@mail.example.com',
    'smtp://ada:%zz@mail.example.com',
    'smtp://mail.example.com/path',
    'smtp://mail.example.com?tls=no',
    'smtp://mail.example.com#x',
    'smtp://mail.example.com:99999',
    'smtp://mail_server.example.com',
    ' smtp://mail.example.com',
    'smtp://mail.example.com\n',
  ]) {
    assert.equal(smtpServerAddress(text), null, text);
  }
});

test('mails come from an address, with a name or ours', () => {
  assert.deepEqual(mailSender('no-reply@Example.com'), {
    name: 'Tapeloom',
    address: 'no-reply@example.com',
  });
  assert.deepEqual(mailSender('Acme Trading <no-reply@example.com>'), {
    name: 'Acme Trading',
    address: 'no-reply@example.com',
  });
  for (const text of [
    ' <a@b.de>',
    'A\r\nBcc: <a@b.de>',
    'A\u202e <a@b.de>',
    '"A" <a@b.de>',
    '<>',
  ]) {
    assert.equal(mailSender(text), null, text);
  }
});
