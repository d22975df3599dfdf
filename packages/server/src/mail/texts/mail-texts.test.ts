import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EpochNs } from '@tapeloom/core/numbers';
import type { MailText } from '../mailer.ts';
import {
  accountDeletedMail,
  addressIsNewMail,
  addressIsOldMail,
  deletionAskedMail,
} from './account-mails.ts';
import { momentText, moneyText } from './mail-values.ts';
import {
  type ConfirmedOrder,
  orderCancelledMail,
  orderConfirmedMail,
  orderEndedMail,
  orderRenewedMail,
  paymentFailedMail,
} from './order-mails.ts';
import {
  passkeyAddedMail,
  passkeyRemovedMail,
  passkeysRemovedMail,
  recoveryAskedMail,
  recoveryStoppedMail,
} from './passkey-mails.ts';
import {
  claimMail,
  deletionMail,
  emailApprovalMail,
  emailChangeMail,
  recoveryMail,
  signInMail,
} from './sign-in-mails.ts';
import { usageMail } from './usage-mail.ts';

const AT = 1_794_700_000_123_456_789n as EpochNs;
const LINK = 'https://tapeloom.example.com/sign-in#Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4';
const HOSTILE = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "' onmouseover='alert(1)",
  '</title><b>&amp;',
  'a\r\nBcc: everybody@example.com',
  'a\n\n-- \nTapeloom says: pay here',
  'abc\u202efdp.exe',
  '\u2067right to left\u2069',
  '\u0645\u0631\u062d\u0628\u0627',
  'x\0\x1b[2J',
  'a'.repeat(5_000),
];

const WAIVER = { version: '2026-11', text: 'First & <second>.\n\nThird.', acceptedAt: AT };
const ORDER: ConfirmedOrder = {
  orderId: 'ord_1',
  offer: 'Live',
  amountMinor: 2_900,
  currency: 'EUR',
  taxIncluded: true,
  interval: 'month',
  billTo: null,
  paidAt: AT,
  paidUntil: AT,
  waiver: WAIVER,
  ordersLink: LINK,
};

const RECEIPT = { at: AT, totalMinor: 2_900, taxMinor: 463, currency: 'EUR', url: LINK };
const USAGE = {
  budget: 'computeUnits',
  percent: 80,
  used: 16_012_345_678,
  limit: 20_000_000_000,
  period: '2026-11',
  resetsAt: AT,
  usageLink: LINK,
} as const;

function everyMail(value: string): readonly MailText[] {
  const link = { link: LINK, expiresInMinutes: 15 };
  const about = { orderId: value, offer: value, ordersLink: LINK };
  return [
    signInMail(link),
    claimMail({ ...link, account: value }),
    emailChangeMail(link),
    emailApprovalMail({ ...link, newEmail: value }),
    deletionMail(link),
    addressIsOldMail({ newEmail: value }),
    addressIsNewMail(),
    deletionAskedMail({ dueAt: AT, accountLink: LINK }),
    accountDeletedMail({ deletedAt: AT }),
    recoveryMail(link),
    passkeyAddedMail({ name: value, at: AT, accountLink: LINK }),
    passkeyRemovedMail({ name: value, at: AT, accountLink: LINK }),
    passkeysRemovedMail({ at: AT, isByOperator: true, accountLink: LINK }),
    passkeysRemovedMail({ at: AT, isByOperator: false, accountLink: LINK }),
    recoveryAskedMail({ dueAt: AT, stopLink: LINK }),
    recoveryStoppedMail({ accountLink: LINK }),
    paymentFailedMail({ ...about, failedAt: AT, endsAt: AT }),
    orderCancelledMail({ ...about, endsAt: AT }),
    orderRenewedMail({ ...ORDER, ...about, paidUntil: AT, receipt: null }),
    orderRenewedMail({ ...ORDER, ...about, paidUntil: AT, receipt: RECEIPT }),
    ...(['refunded', 'disputed', 'over'] as const).map((cause) =>
      orderEndedMail({ ...about, endedAt: AT, cause }),
    ),
    usageMail(USAGE),
    usageMail({ ...USAGE, budget: 'exportBytes', percent: 100 }),
    orderConfirmedMail({
      ...ORDER,
      orderId: value,
      offer: value,
      waiver: { ...WAIVER, version: value },
    }),
    orderConfirmedMail({ ...ORDER, waiver: { ...WAIVER, text: value.replaceAll('\n', ' ') } }),
    orderConfirmedMail(ORDER),
    orderConfirmedMail({ ...ORDER, billTo: { name: value, address: value, taxId: value } }),
  ];
}

test('a sign-in mail has its link in both parts, says when it ends, and what to do if it was not asked for', () => {
  const { subject, text, html, link, usefulMinutes } = signInMail({
    link: LINK,
    expiresInMinutes: 15,
  });
  assert.equal(subject, 'Sign in to Tapeloom');
  assert.equal(link, LINK);
  assert.equal(usefulMinutes, 15);
  assert.ok(text.split('\n').includes(LINK), text);
  assert.equal(html.split(`href="${LINK}"`).length - 1, 2);
  for (const part of [text, html]) {
    assert.match(part, /The link works once, for 15 minutes\./);
    assert.match(part, /If this was not you, do nothing/);
  }
});

test('nothing that a person typed becomes markup, a line or a direction of its own in any mail', () => {
  const plain = everyMail('plain');
  for (const value of HOSTILE) {
    for (const [index, mail] of everyMail(value).entries()) {
      const about = JSON.stringify([mail.subject, value.slice(0, 40)]);
      const tags = (html: string) => html.match(/<[^>]*>/g);
      assert.deepEqual(tags(mail.html), tags(plain[index]!.html), about);
      assert.equal(mail.subject, plain[index]!.subject, about);
      assert.doesNotMatch(mail.subject, /[\p{C}]/u, about);
      assert.doesNotMatch(mail.text, /^Bcc:|^Tapeloom says/m, about);
      assert.doesNotMatch(mail.text.replaceAll('\n', ''), /\p{Cc}/u, about);
      for (const part of [mail.text, mail.html]) {
        assert.doesNotMatch(part, /[\u202a-\u202e\u2066\u2067\u2028]/u, about);
        assert.equal(part.split('\u2068').length, part.split('\u2069').length, about);
        assert.ok(part.length < 40_000, about);
      }
    }
  }
});

/** Mails without an action. */
const ONLY_NEWS = /is deleted|has changed|is your e-mail address/;

test('a mail loads nothing, runs nothing, and links only where it was told to', () => {
  for (const { html, subject } of everyMail('demo')) {
    assert.doesNotMatch(html, /<(?:script|img|link|iframe|form|svg)\b|url\(|@import|@font-face/i);
    const links = [...html.matchAll(/href="([^"]*)"/g)].map(([, href]) => href);
    assert.deepEqual([...new Set(links)], ONLY_NEWS.test(subject) ? [] : [LINK]);
  }
});

test('lines of the plain part are short, but a link stays whole', () => {
  for (const { text } of everyMail('demo')) {
    for (const line of text.split('\n')) assert.ok(line.length <= 72 || line === LINK, line);
    assert.ok(text.endsWith('\n-- \nTapeloom\n'));
  }
});

test('a confirmation holds the order, the price and the text that was agreed to, with its version and time', () => {
  const { text, html } = everyMail('').at(-1)!;
  for (const part of ['ord_1', 'Live', '€29.00 a month, tax included', 'version 2026-11']) {
    assert.ok(text.includes(part), part);
    assert.ok(html.includes(part), part);
  }
  assert.ok(text.includes(momentText(AT)));
  assert.ok(text.includes('First & <second>.\n\nThird.'));
  assert.ok(html.includes('First &amp; &lt;second&gt;.'));
});

test('times are UTC and say so; money has as many digits as its currency', () => {
  assert.equal(momentText(AT), '14 November 2026, 23:46 UTC');
  assert.equal(moneyText(2_900, 'EUR'), '€29.00');
  assert.equal(moneyText(2_900, 'JPY'), '¥2,900');
  assert.equal(moneyText(123_456, 'USD'), '$1,234.56');
});

test('a usage mail says how much of the month is used, what follows, and how to switch it off', () => {
  const soon = usageMail(USAGE);
  assert.equal(soon.subject, '80% of your compute budget of November 2026 is used');
  assert.match(soon.text, /Used: +16\.01 billion units of 20 billion units/);
  assert.match(soon.text, /Switch it off\sunder Account/);
  const used = 19.95 * 2 ** 30;
  const limit = 20 * 2 ** 30;
  const all = usageMail({ ...USAGE, budget: 'exportBytes', percent: 100, used, limit });
  assert.equal(all.subject, 'Your export volume of November 2026 is used up');
  assert.match(all.text, /Used: +19\.95 GiB of 20 GiB/);
});
