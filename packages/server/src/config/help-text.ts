/** What who asks for help with a start is shown: every option, and the variables most starts want. */

import type { CalledAs } from './called-as.ts';
import { OPTIONS } from './command-line.ts';

/** The others are in docs/operating.md. */
const VARIABLES: Readonly<Record<string, string>> = {
  TAPELOOM_PORT: 'port of REST and stream (8080; 0 takes any free one)',
  TAPELOOM_HOST: 'address to listen on (127.0.0.1)',
  TAPELOOM_PUBLIC_URL: 'where people reach it, for links in mails and docs (http://127.0.0.1:8080)',
  TAPELOOM_PAGES: 'directory with your imprint.md, privacy.md and terms.md (none)',
  TAPELOOM_INTERNAL_PORT: 'port of metrics and health (9464)',
  TAPELOOM_DATA: 'the data directory (./data)',
  TAPELOOM_TRUSTED_PROXIES: 'addresses of your proxies, with commas between (none)',
  TAPELOOM_SMTP_URL: 'the mail server, smtp://user:password@host:587 (none: files)',
  TAPELOOM_SUPPORT: 'where people get help, an e-mail address or an https address',
  TAPELOOM_MAIL_FROM: 'who mails come from, needed with a mail server',
  TAPELOOM_LOG_LEVEL: 'trace, debug, info, warn, error, fatal or silent (info)',
  TAPELOOM_CACHE_BYTES: 'what the cache of results may take, such as 2GiB; 0 keeps nothing',
  TAPELOOM_AUDIT_DAYS: 'how long the audit log keeps an event (400 days)',
  TAPELOOM_ORDERS_YEARS: 'how long orders are kept after their account was deleted (10 years)',
  TAPELOOM_POSTGRES_URL: 'PostgreSQL of a cluster, postgresql://user@host/database (none: alone)',
  TAPELOOM_NATS_URL: 'NATS servers of a cluster, with commas between (none: alone)',
  TAPELOOM_CONFIG: 'a JSON file with settings; the environment wins over it',
};

export function helpText(calledAs: CalledAs): string {
  const options = Object.entries(OPTIONS).map(([name, it]) => [`${name} N`, it.meaning] as const);
  return [
    'Starts Tapeloom: the REST interface, the stream, and the simulated market behind them.',
    '',
    `  ${calledAs.serve} [options]`,
    '',
    'Options:',
    ...columns([...options, ['--help', 'shows this and ends']]),
    '',
    'Variables, and what holds without them:',
    ...columns(Object.entries(VARIABLES)),
    '',
    `Every setting: docs/operating.md. Accounts, keys and the tape: ${calledAs.tapeloom} --help`,
  ].join('\n');
}

function columns(rows: readonly (readonly [string, string])[]): readonly string[] {
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, meaning]) => `  ${name.padEnd(width)}  ${meaning}`);
}
