/**
 * The configured PostgreSQL of a cluster: `postgresql://user[:password]@host[:port]/database?sslmode=…`. By default the
 * server must prove its name by TLS, except on this machine. Plain text elsewhere must be requested.
 */

import { isLoopbackHost, isServerHost, serverHostOf } from './server-host.ts';

/** `require` is excluded on purpose: it encrypts, but does not verify the server. */
const SSL_MODES = ['disable', 'verify-full'] as const;
const DATABASE = /^[0-9A-Za-z_.-]{1,63}$/;
const PORT = 5432;

export const POSTGRES_URL_ACCEPTS =
  'postgresql://user[:password]@host[:port]/database, with ?sslmode=disable or ?sslmode=verify-full at the end ' +
  '(default: verify-full; disable for this machine)';

export interface PostgresAddress {
  /** A path is a directory of sockets on this machine, written as %2Frun%2Fpostgresql. */
  readonly host: string;
  readonly port: number;
  readonly user: string;
  /** Null: it is in a file, or the server needs none. */
  readonly password: string | null;
  readonly database: string;
  readonly sslMode: (typeof SSL_MODES)[number];
}

/** Null: the text is no such address. */
export function postgresAddress(text: string): PostgresAddress | null {
  const url = /\s/.test(text) ? null : URL.parse(text);
  if (url === null || !/^postgres(?:ql)?:$/.test(url.protocol) || url.hash !== '') return null;
  const login = loginOf(url);
  const host = decoded(serverHostOf(url));
  const database = url.pathname.slice(1);
  if (host === null || login === null || !DATABASE.test(database)) return null;
  const options = [...url.searchParams];
  if (options.length > 1 || options.some(([name]) => name !== 'sslmode')) return null;
  const isDirectory = host.startsWith('/');
  if (!isDirectory && !isServerHost(host)) return null;
  const asked =
    options[0]?.[1] ?? (isDirectory || isLoopbackHost(host) ? 'disable' : 'verify-full');
  const sslMode = SSL_MODES.find((mode) => mode === asked);
  if (sslMode === undefined) return null;
  return { host, port: url.port === '' ? PORT : Number(url.port), ...login, database, sslMode };
}

/** Null: there is no user, or it is not encoded correctly. */
function loginOf({ username, password }: URL): Pick<PostgresAddress, 'user' | 'password'> | null {
  const user = decoded(username);
  const secret = decoded(password);
  if (user === null || user === '' || secret === null) return null;
  return { user, password: secret === '' ? null : secret };
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
