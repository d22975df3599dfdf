/**
 * The configured mail server. `smtp://` upgrades by STARTTLS before sending anything, `smtps://` begins with TLS. Plain
 * text is allowed on this machine only.
 */

import { isLoopbackHost, isServerHost, serverHostOf } from './server-host.ts';

const PORTS: Readonly<Record<string, number>> = { 'smtp:': 587, 'smtps:': 465 };

export const SMTP_URL_ACCEPTS =
  'smtp://user:password@host:587 or smtps://user:password@host:465, without a path';

/** The variable of a file with the password, for an address that has only a user. */
export const SMTP_PASSWORD_FILE = 'TAPELOOM_SMTP_PASSWORD_FILE';

export interface SmtpServerAddress {
  readonly host: string;
  readonly port: number;
  /** `start`: from the first byte; `upgrade`: STARTTLS is required; `none`: on this machine only. */
  readonly tls: 'start' | 'upgrade' | 'none';
  readonly login: { readonly user: string; readonly password: string } | null;
}

/** Null: the text is no such address. */
export function smtpServerAddress(text: string): SmtpServerAddress | null {
  const url = URL.parse(text);
  const port = url === null ? undefined : PORTS[url.protocol];
  if (url === null || port === undefined || !isPlain(url, text)) return null;
  const host = serverHostOf(url);
  const login = loginOf(url);
  if (login === undefined || !isServerHost(host)) return null;
  const plain = isLoopbackHost(host) ? 'none' : 'upgrade';
  return {
    host,
    port: url.port === '' ? port : Number(url.port),
    tls: url.protocol === 'smtps:' ? 'start' : plain,
    login,
  };
}

/** The address with this password; null if it already has one, or no user. */
export function withSmtpPassword(text: string, password: string): string | null {
  const url = URL.parse(text);
  if (url === null || url.username === '' || url.password !== '') return null;
  url.password = encodeURIComponent(password);
  return url.href;
}

function isPlain({ pathname, search, hash }: URL, text: string): boolean {
  return (pathname === '' || pathname === '/') && search === '' && hash === '' && !/\s/.test(text);
}

/** Undefined: only one of the two, or not encoded correctly. */
function loginOf({ username, password }: URL): SmtpServerAddress['login'] | undefined {
  if (username === '' && password === '') return null;
  if (username === '' || password === '') return undefined;
  try {
    return { user: decodeURIComponent(username), password: decodeURIComponent(password) };
  } catch {
    return undefined;
  }
}
