/** The help text of a start: every option, and the variables that most starts need. */

import type { CalledAs } from './called-as.ts';
import { OPTIONS } from './command-line.ts';
import { FEED_OPTION, FEED_OPTIONS } from './feed-options.ts';

/** The others are in docs/operating.md. */
const VARIABLES: Readonly<Record<string, string>> = {
  TAPELOOM_PORT: 'port of REST and stream (8080; 0 picks a free port)',
  TAPELOOM_HOST: 'address to listen on (127.0.0.1)',
  TAPELOOM_PUBLIC_URL: 'public address, for links in mails and docs (http://127.0.0.1:8080)',
  TAPELOOM_PAGES: 'directory with your imprint.md, privacy.md and terms.md (none)',
  TAPELOOM_INTERNAL_PORT: 'port of metrics and health (9464)',
  TAPELOOM_DATA: 'the data directory (./data)',
  TAPELOOM_TRUSTED_PROXIES: 'addresses of your proxies, separated by commas (none)',
  TAPELOOM_SMTP_URL: 'mail server, smtp://user:password@host:587 (none: mails become files)',
  TAPELOOM_SUPPORT: 'support contact, an e-mail address or an https address',
  TAPELOOM_MAIL_FROM: 'sender of mails, required with a mail server',
  TAPELOOM_LOG_LEVEL: 'trace, debug, info, warn, error, fatal or silent (info)',
  TAPELOOM_CACHE_BYTES: 'size of the result cache, such as 2GiB; 0 turns it off',
  TAPELOOM_AUDIT_DAYS: 'days that the audit log keeps an event (400)',
  TAPELOOM_ORDERS_YEARS: 'years that orders are kept after their account was deleted (10)',
  TAPELOOM_POSTGRES_URL:
    'PostgreSQL of a cluster, postgresql://user@host/database (none: one machine)',
  TAPELOOM_NATS_URL: 'NATS servers of a cluster, separated by commas (none: one machine)',
  TAPELOOM_CONFIG: 'JSON file with settings; environment variables override it',
};

export function helpText(calledAs: CalledAs): string {
  const options = Object.entries(OPTIONS).map(([name, it]) => [`${name} N`, it.meaning] as const);
  return [
    'Starts Tapeloom: the REST interface, the stream, and the market that feeds them: the simulated one,',
    'the instruments that were applied to the data directory, or the symbols of a venue.',
    '',
    `  ${calledAs.serve} [options]`,
    `  ${calledAs.serve} ${FEED_OPTION} <venue> <symbols> [options]`,
    '',
    'Options:',
    ...columns([
      ...options,
      [
        `${FEED_OPTION} <venue>`,
        'receives real trades of the symbols that follow, named as at the venue',
      ],
      ['--help', 'shows this help and exits'],
    ]),
    '',
    `Options behind a ${FEED_OPTION}, of which there may be several:`,
    ...columns(
      Object.entries(FEED_OPTIONS).map(
        ([name, it]) => [`${name} ${it.value}`, it.meaning] as const,
      ),
    ),
    '',
    `${FEED_OPTION} reads tick, lot and expiry from the venue and adds new symbols to instruments.yaml in the`,
    'data directory. Symbols that are in the file already start at once, also without a network. To',
    `write the file yourself, use instruments from ${FEED_OPTION} and instruments apply, and start without`,
    `${FEED_OPTION}.`,
    '',
    'Environment variables, with their defaults in brackets:',
    ...columns(Object.entries(VARIABLES)),
    '',
    `Every setting: docs/operating.md. Accounts, keys and the tape: ${calledAs.tapeloom} --help`,
  ].join('\n');
}

function columns(rows: readonly (readonly [string, string])[]): readonly string[] {
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, meaning]) => `  ${name.padEnd(width)}  ${meaning}`);
}
