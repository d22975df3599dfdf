/** What keeps us from using the PostgreSQL of a cluster, in a sentence that names the setting to look at. */

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
    return lasting(`${variable}: PostgreSQL at ${where} does not let us in as ${user}: ${said}`);
  }
  if (certificateFault(code) === 'untrusted') {
    const how = caFile === null ? 'names a file with the certificate of who vouches for it' : said;
    return lasting(`${CA}: the certificate of PostgreSQL at ${where} is not believed: ${how}`);
  }
  if (certificateFault(code) === 'not good') {
    return lasting(`${URL}: the certificate of PostgreSQL at ${where} is not good: ${said}`);
  }
  if (/does not support SSL/.test(said)) {
    return lasting(
      `${URL}: PostgreSQL at ${where} has no TLS: turn it on there, or write ?sslmode=disable where nobody else is on the network`,
    );
  }
  if (/unsupported startup parameter/.test(said)) {
    return lasting(
      `${URL}: a pooler answers at ${where}, and nodes need sessions of their own: name the server itself (${said})`,
    );
  }
  switch (code) {
    case '3D000':
      return lasting(`${URL}: PostgreSQL at ${where} has no database ${database}`);
    case '42501':
      return lasting(
        `${URL}: ${user} may not make tables in ${database} at ${where}: make it the owner of the database (${said})`,
      );
    case '25006':
      return passing(
        `${URL}: PostgreSQL at ${where} only reads, as a standby does: name the server that is written to`,
      );
    case '53300':
      return passing(
        `${URL}: PostgreSQL at ${where} has no connection left for us: raise max_connections, a node takes up to 40 (${said})`,
      );
    case '53100':
      return passing(`${URL}: the disk of PostgreSQL at ${where} is full (${said})`);
    default:
      return passing(
        `${URL}: PostgreSQL cannot be reached as ${user} at ${where}/${database}: ${said}`,
      );
  }
}
