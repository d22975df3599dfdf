/** Why the PostgreSQL of a cluster cannot be used, in a sentence that names the setting to check. */

import type { ClusterConfig } from '../../config/cluster-settings.ts';
import { postgresAddress } from '../../config/postgres-address.ts';
import { certificateFault, innermostError } from '../../platform/network/certificate-fault.ts';
import {
  lastingFault as lasting,
  passingFault as passing,
  type ServerFault,
} from '../../platform/network/server-fault.ts';

const URL = 'TAPELOOM_POSTGRES_URL';
const PASSWORD = 'TAPELOOM_POSTGRES_PASSWORD_FILE';
const CA = 'TAPELOOM_POSTGRES_CA_FILE';

export function postgresFault(
  { url, passwordFile, caFile }: ClusterConfig['postgres'],
  error: unknown,
): ServerFault {
  const { host, port, user, database } = postgresAddress(url)!;
  const where = `${host}:${port}`;
  const cause = innermostError(error);
  const said = cause instanceof Error ? cause.message : String(cause);
  const { code = '', path } = (cause ?? {}) as { readonly code?: string; readonly path?: string };
  if (path !== undefined && (path === passwordFile || path === caFile)) {
    return lasting(`${path === caFile ? CA : PASSWORD}: the file cannot be read: ${said}`);
  }
  if (code.startsWith('28') || /password must be a (?:non-empty )?string/.test(said)) {
    const variable = passwordFile === null ? URL : PASSWORD;
    return lasting(`${variable}: PostgreSQL at ${where} rejects the login as ${user}: ${said}`);
  }
  if (certificateFault(code) === 'untrusted') {
    const how = caFile === null ? 'set it to a file with its CA certificate' : said;
    return lasting(`${CA}: the certificate of PostgreSQL at ${where} is not trusted: ${how}`);
  }
  if (certificateFault(code) === 'not good') {
    return lasting(`${URL}: the certificate of PostgreSQL at ${where} is not good: ${said}`);
  }
  if (/does not support SSL/.test(said)) {
    return lasting(
      `${URL}: PostgreSQL at ${where} has no TLS: turn it on there, or use ?sslmode=disable in a private network`,
    );
  }
  if (/unsupported startup parameter/.test(said)) {
    return lasting(
      `${URL}: a connection pooler responds at ${where}, but nodes need their own sessions: use the server itself (${said})`,
    );
  }
  switch (code) {
    case '3D000':
      return lasting(`${URL}: PostgreSQL at ${where} has no database ${database}`);
    case '42501':
      return lasting(
        `${URL}: ${user} may not create tables in ${database} at ${where}: make it the owner of the database (${said})`,
      );
    case '25006':
      return passing(
        `${URL}: PostgreSQL at ${where} is read-only, like a standby: use the primary`,
      );
    case '53300':
      return passing(
        `${URL}: PostgreSQL at ${where} has no free connection: raise max_connections, a node uses up to 40 (${said})`,
      );
    case '53100':
      return passing(`${URL}: the disk of PostgreSQL at ${where} is full (${said})`);
    default:
      return passing(
        `${URL}: PostgreSQL cannot be reached as ${user} at ${where}/${database}: ${said}`,
      );
  }
}
