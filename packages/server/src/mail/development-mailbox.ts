/**
 * The development mailbox: the mails since the start, on the internal port. It shows sign-in links, so it exists only
 * while mails go to the outbox and the public address is this machine. It serves only callers on this machine that
 * address it by a loopback name: no external page can read it, whatever host name it uses (DNS rebinding).
 */

import { createHash } from 'node:crypto';
import { LOOPBACK_ADDRESS, LOOPBACK_HOST } from '../platform/network/loopback.ts';
import type { OutgoingMail } from './mailer.ts';
import { escapeHtml } from './texts/escape-html.ts';

const MAILS_MAX = 50;
const PATH = /^\/mailbox(?:\/(\d{1,9}))?$/;

const STYLE = `
:root { color-scheme: light dark; --ink: light-dark(#16171d, #eeeff4); --muted: light-dark(#555966, #a6abba);
  --faint: light-dark(#676b78, #8a90a1); --line: light-dark(#e5e1d9, #232733); --accent: light-dark(#3f3bb3, #a9a5ff);
  --surface: light-dark(#ffffff, #12141b); --on-ink: light-dark(#ffffff, #0b0c11); }
body { margin: 0 auto; max-width: 720px; padding: 40px 16px 80px; background: light-dark(#faf9f6, #0b0c11); color: var(--ink);
  font: 450 16px/1.55 Inter, system-ui, sans-serif; }
h1 { margin: 0 0 4px; font-size: 24px; font-weight: 620; letter-spacing: -0.02em; }
p { margin: 0; color: var(--muted); }
a { color: var(--accent); overflow-wrap: anywhere; }
a:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
article, .empty { margin-top: 16px; padding: 20px; background: var(--surface); border: 1px solid var(--line); border-radius: 12px; }
h2 { margin: 0; font-size: 18px; font-weight: 600; letter-spacing: -0.01em; }
.meta { display: flex; flex-wrap: wrap; gap: 0 16px; color: var(--faint); font-size: 14px; }
.open { display: inline-block; margin: 16px 0 0; padding: 10px 18px; border-radius: 7px; background: var(--ink); color: var(--on-ink);
  font-weight: 560; text-decoration: none; }
pre { margin: 16px 0 0; padding-top: 16px; border-top: 1px solid var(--line); white-space: pre-wrap; overflow-wrap: anywhere;
  font: 14px/1.55 "Geist Mono", ui-monospace, monospace; color: var(--muted); }
`;
const STYLE_DIGEST = createHash('sha256').update(STYLE).digest('base64');
const PAGE_POLICY = `default-src 'none'; style-src 'sha256-${STYLE_DIGEST}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
/** A mail may use its own styles, and nothing else. */
const MAIL_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox allow-popups allow-popups-to-escape-sandbox allow-top-navigation-by-user-activation";

export interface MailboxRequest {
  readonly url: string | undefined;
  readonly host: string | undefined;
  /** The address of the connection's other end. */
  readonly address: string | undefined;
}

export interface MailboxAnswer {
  readonly status: 200 | 403 | 404;
  readonly type: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

interface Received {
  readonly number: number;
  readonly at: Date;
  readonly mail: OutgoingMail;
}

export interface DevelopmentMailboxOptions {
  readonly now: () => Date;
  /** Where the mails are stored as files. */
  readonly directory: string;
}

export class DevelopmentMailbox {
  readonly #options: DevelopmentMailboxOptions;
  /** Newest first. */
  readonly #mails: Received[] = [];
  #count = 0;

  constructor(options: DevelopmentMailboxOptions) {
    this.#options = options;
  }

  add(mail: OutgoingMail): void {
    this.#count += 1;
    this.#mails.unshift({ number: this.#count, at: this.#options.now(), mail });
    if (this.#mails.length > MAILS_MAX) this.#mails.pop();
  }

  /** Null: the request is for another path. */
  answer({ url = '', host = '', address = '' }: MailboxRequest): MailboxAnswer | null {
    const path = PATH.exec(url);
    if (path === null) return null;
    if (!LOOPBACK_ADDRESS.test(address) || !LOOPBACK_HOST.test(host)) {
      return plain(403, 'the mailbox is for callers on this machine only\n');
    }
    if (path[1] === undefined) return html(this.#page(), PAGE_POLICY);
    const one = this.#mails.find(({ number }) => number === Number(path[1]));
    return one === undefined ? plain(404, 'no such mail\n') : html(one.mail.html, MAIL_POLICY);
  }

  #page(): string {
    const isEmpty = this.#mails.length === 0;
    const list = isEmpty
      ? '<p class="empty">No mail yet. This page looks again by itself.</p>'
      : this.#mails.map(article).join('\n');
    return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="referrer" content="no-referrer">
${isEmpty ? '<meta http-equiv="refresh" content="3">\n' : ''}<title>Mailbox – Tapeloom</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>Mailbox</h1>
<p>Mails since the start, the newest first; as files in ${escapeHtml(this.#options.directory)}. No mail server is configured, so nobody else gets them. <a href="/mailbox">Look again</a></p>
${list}
</main>
</body>
</html>
`;
  }
}

function article({ number, at, mail }: Received): string {
  const time = at.toISOString();
  const shown = `${time.slice(0, 10)} ${time.slice(11, 19)} UTC`;
  const open =
    mail.link === undefined
      ? ''
      : `<a class="open" href="${escapeHtml(mail.link)}">Open the link</a>\n`;
  return `<article>
<h2>${escapeHtml(mail.subject)}</h2>
<div class="meta"><span>to <bdi>${escapeHtml(mail.to)}</bdi></span><time datetime="${time}">${shown}</time><a href="/mailbox/${number}">As HTML</a></div>
${open}<pre>${linked(mail.text, mail.link)}</pre>
</article>`;
}

function linked(text: string, link: string | undefined): string {
  const shown = escapeHtml(text);
  if (link === undefined) return shown;
  const href = escapeHtml(link);
  return shown.replaceAll(href, () => `<a href="${href}">${href}</a>`);
}

function html(body: string, policy: string): MailboxAnswer {
  return {
    status: 200,
    type: 'text/html; charset=utf-8',
    body,
    headers: {
      'content-security-policy': policy,
      'cross-origin-resource-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    },
  };
}

function plain(status: 403 | 404, body: string): MailboxAnswer {
  return { status, type: 'text/plain', body, headers: {} };
}
