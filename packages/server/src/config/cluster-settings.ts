/**
 * The settings that make a process a node of a cluster: the servers that share accounts and tape, and the roles of this
 * node. Without PostgreSQL and NATS there is no cluster, and none of these settings applies.
 */

import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { internalUrlSetting } from './internal-address.ts';
import { POSTGRES_URL_ACCEPTS, postgresAddress } from './postgres-address.ts';
import { isServerHost, serverHostOf } from './server-host.ts';
import { listOf, oneOf, type Setting, secretText, text } from './setting.ts';

export type NodeRole = 'ingest' | 'serve';

export interface ClusterConfig {
  readonly roles: { readonly ingest: boolean; readonly serve: boolean };
  /** The node's name, for people. */
  readonly node: string;
  /** Where others reach its internal port; null: where it is open. */
  readonly internalUrl: string | null;
  readonly postgres: {
    /** Contains the password unless a file has it. */
    readonly url: string;
    readonly passwordFile: string | null;
    readonly caFile: string | null;
  };
  readonly nats: {
    readonly servers: readonly string[];
    readonly credsFile: string | null;
    readonly tokenFile: string | null;
    readonly caFile: string | null;
    /** The client certificate for servers that ask for one; both or none. */
    readonly certFile: string | null;
    readonly keyFile: string | null;
    /** Whether the servers require TLS before their greeting. */
    readonly isTlsFirst: boolean;
    /** Where the servers report how they sync. */
    readonly monitors: readonly string[];
    /** The operator guarantees what cannot be read there. */
    readonly isSyncAssured: boolean;
  };
}

/** The settings as read; `clusterConfig` combines them. */
export interface ClusterSettings {
  readonly roles: readonly NodeRole[];
  readonly node: string | null;
  readonly internalUrl: string | null;
  readonly postgresUrl: string | null;
  readonly postgresPasswordFile: string | null;
  readonly postgresCaFile: string | null;
  readonly natsUrl: readonly string[];
  readonly natsCredsFile: string | null;
  readonly natsTokenFile: string | null;
  readonly natsCaFile: string | null;
  readonly natsCertFile: string | null;
  readonly natsKeyFile: string | null;
  readonly natsTls: 'greeted' | 'first';
  readonly natsMonitor: readonly string[];
  readonly natsSync: 'checked' | 'assured';
}

const ROLES: readonly NodeRole[] = ['ingest', 'serve'];
const NODE_NAME = /^[0-9A-Za-z](?:[0-9A-Za-z._-]{0,61}[0-9A-Za-z])?$/;
const NODE_ACCEPTS = 'a name of up to 63 letters, digits, dots, hyphens and underscores';
const NATS_ACCEPTS =
  'a list of servers such as nats://10.0.0.1:4222 or tls://nats-1.example.com:4222, without users, passwords or tokens (use TAPELOOM_NATS_CREDS_FILE or TAPELOOM_NATS_TOKEN_FILE for those)';
const MONITOR_ACCEPTS =
  'a list of monitoring addresses of the NATS servers, such as http://10.0.0.1:8222';

export const CLUSTER_SETTINGS: {
  readonly [K in keyof ClusterSettings]: Setting<ClusterSettings[K]>;
} = {
  roles: roleList(),
  node: text<string | null>({ variable: 'TAPELOOM_NODE', fallback: null }, NODE_ACCEPTS, (value) =>
    NODE_NAME.test(value),
  ),
  internalUrl: internalUrlSetting,
  postgresUrl: secretText<string | null>(
    { variable: 'TAPELOOM_POSTGRES_URL', fallback: null },
    POSTGRES_URL_ACCEPTS,
    (value) => postgresAddress(value) !== null,
  ),
  postgresPasswordFile: file('TAPELOOM_POSTGRES_PASSWORD_FILE', 'the password of PostgreSQL'),
  postgresCaFile: file('TAPELOOM_POSTGRES_CA_FILE', 'the CA certificates for PostgreSQL'),
  natsUrl: {
    ...listOf({ variable: 'TAPELOOM_NATS_URL', fallback: [] }, NATS_ACCEPTS, natsServer),
    // It may contain a password by mistake.
    isSecret: (raw) => JSON.stringify(raw)?.includes('@') ?? true,
  },
  natsCredsFile: file('TAPELOOM_NATS_CREDS_FILE', 'the credentials of a NATS user'),
  natsTokenFile: file('TAPELOOM_NATS_TOKEN_FILE', 'the token that the NATS servers expect'),
  natsCaFile: file('TAPELOOM_NATS_CA_FILE', 'the CA certificates for the NATS servers'),
  natsCertFile: file('TAPELOOM_NATS_CERT_FILE', 'the client certificate for the NATS servers'),
  natsKeyFile: file('TAPELOOM_NATS_KEY_FILE', 'the private key of that certificate'),
  natsTls: oneOf({ variable: 'TAPELOOM_NATS_TLS', fallback: 'greeted' }, ['greeted', 'first']),
  natsMonitor: listOf(
    { variable: 'TAPELOOM_NATS_MONITOR', fallback: [] },
    MONITOR_ACCEPTS,
    monitorAddress,
  ),
  natsSync: oneOf({ variable: 'TAPELOOM_NATS_SYNC', fallback: 'checked' }, ['checked', 'assured']),
};

/** What is wrong with these settings as a cluster, or as a single machine; one sentence each. */
export function clusterFaults(
  settings: ClusterSettings,
  { speed, readFile }: { readonly speed: number | null; readFile(path: string): string },
): readonly string[] {
  const hasPostgres = settings.postgresUrl !== null;
  const hasNats = settings.natsUrl.length > 0;
  if (!hasPostgres && !hasNats) return [...withoutServers(settings)];
  const faults: string[] = [];
  if (!hasPostgres) {
    faults.push(
      `TAPELOOM_POSTGRES_URL is required when TAPELOOM_NATS_URL is set. It must be ${POSTGRES_URL_ACCEPTS}.`,
    );
  }
  if (!hasNats) {
    faults.push(
      `TAPELOOM_NATS_URL is required when TAPELOOM_POSTGRES_URL is set. It must be ${NATS_ACCEPTS}.`,
    );
  }
  if (speed !== null) {
    faults.push(
      `--speed ${speed} cannot be used in a cluster: its nodes share one tape, which runs in real time. Omit --speed, or unset TAPELOOM_POSTGRES_URL and TAPELOOM_NATS_URL.`,
    );
  }
  if (settings.node === null && !NODE_NAME.test(hostname())) {
    faults.push(
      `TAPELOOM_NODE is required because the host name ${JSON.stringify(hostname())} cannot be used. It must be ${NODE_ACCEPTS}.`,
    );
  }
  faults.push(...contradictions(settings), ...fileFaults(settings, readFile));
  return faults;
}

/** The cluster of valid settings; null: this process is a single machine. */
export function clusterConfig(settings: ClusterSettings): ClusterConfig | null {
  const { postgresUrl, roles } = settings;
  if (postgresUrl === null) return null;
  const path = (name: string | null) => (name === null ? null : resolve(name));
  return {
    roles: { ingest: roles.includes('ingest'), serve: roles.includes('serve') },
    node: settings.node ?? hostname(),
    internalUrl: settings.internalUrl,
    postgres: {
      url: postgresUrl,
      passwordFile: path(settings.postgresPasswordFile),
      caFile: path(settings.postgresCaFile),
    },
    nats: {
      servers: settings.natsUrl,
      credsFile: path(settings.natsCredsFile),
      tokenFile: path(settings.natsTokenFile),
      caFile: path(settings.natsCaFile),
      certFile: path(settings.natsCertFile),
      keyFile: path(settings.natsKeyFile),
      isTlsFirst: settings.natsTls === 'first',
      monitors: settings.natsMonitor,
      isSyncAssured: settings.natsSync === 'assured',
    },
  };
}

/** The error of a replay in a cluster; null if there is no cluster. */
export function replayFault(cluster: ClusterConfig | null): string | null {
  return cluster === null
    ? null
    : 'TAPELOOM_POSTGRES_URL and TAPELOOM_NATS_URL are set, but a replay runs on one machine only. Unset both.';
}

function* withoutServers(settings: ClusterSettings): Generator<string> {
  const together = 'requires TAPELOOM_POSTGRES_URL and TAPELOOM_NATS_URL';
  if (settings.roles.length < ROLES.length) {
    yield `TAPELOOM_ROLES is ${settings.roles.join()}, but a node with one role ${together}: other nodes of the cluster have the other role.`;
  }
  const alone = [...FILES, 'node', 'internalUrl', 'natsMonitor'] as const;
  for (const name of alone) {
    const value = settings[name];
    if (value === null || value.length === 0) continue;
    yield `${CLUSTER_SETTINGS[name].variable} ${together}: it is a setting of clusters.`;
  }
  for (const name of ['natsTls', 'natsSync'] as const) {
    const { variable, fallback } = CLUSTER_SETTINGS[name];
    if (settings[name] !== fallback) yield `${variable} ${together}: it is a setting of clusters.`;
  }
}

const FILES = [
  'postgresPasswordFile',
  'postgresCaFile',
  'natsCredsFile',
  'natsTokenFile',
  'natsCaFile',
  'natsCertFile',
  'natsKeyFile',
] as const;

function* fileFaults(
  settings: ClusterSettings,
  readFile: (path: string) => string,
): Generator<string> {
  for (const name of FILES) {
    const path = settings[name];
    if (path === null) continue;
    const { variable } = CLUSTER_SETTINGS[name];
    try {
      if (readFile(path).trim() === '') yield `${variable}: the file ${path} is empty.`;
    } catch (error) {
      yield `${variable}: cannot read ${path}: ${(error as Error).message}`;
    }
  }
}

/** Two passwords, half of a pair, and certificates that would never be used. */
function* contradictions(settings: ClusterSettings): Generator<string> {
  const { postgresPasswordFile, postgresCaFile } = settings;
  const postgres = settings.postgresUrl === null ? null : postgresAddress(settings.postgresUrl);
  if (postgresPasswordFile !== null && postgres !== null && postgres.password !== null) {
    yield 'TAPELOOM_POSTGRES_PASSWORD_FILE: TAPELOOM_POSTGRES_URL contains a password too; remove one of them.';
  }
  if (postgresCaFile !== null && postgres?.sslMode === 'disable') {
    yield 'TAPELOOM_POSTGRES_CA_FILE has no effect: TAPELOOM_POSTGRES_URL sets or implies sslmode=disable, so no certificate is checked. Use sslmode=verify-full, or unset the file.';
  }
  if (settings.natsTokenFile !== null && settings.natsCredsFile !== null) {
    yield 'TAPELOOM_NATS_TOKEN_FILE and TAPELOOM_NATS_CREDS_FILE are both set; remove one of them.';
  }
  yield* natsTlsContradictions(settings);
}

function* natsTlsContradictions(settings: ClusterSettings): Generator<string> {
  const { natsUrl, natsCaFile, natsCertFile, natsKeyFile, natsTls } = settings;
  if (natsCertFile !== null && natsKeyFile === null) {
    yield 'TAPELOOM_NATS_KEY_FILE is required when TAPELOOM_NATS_CERT_FILE is set. It must be the path of a file with the private key of the certificate.';
  }
  if (natsKeyFile !== null && natsCertFile === null) {
    yield 'TAPELOOM_NATS_CERT_FILE is required when TAPELOOM_NATS_KEY_FILE is set. It must be the path of a file with the certificate of that key.';
  }
  if (natsUrl.length === 0 || natsUrl.some((server) => server.startsWith('tls:'))) return;
  const isPlain = 'no server of TAPELOOM_NATS_URL begins with tls://';
  const files = [
    ['TAPELOOM_NATS_CA_FILE', natsCaFile, 'no certificate is checked'],
    ['TAPELOOM_NATS_CERT_FILE', natsCertFile, 'no certificate is sent'],
  ] as const;
  for (const [variable, path, so] of files) {
    if (path !== null)
      yield `${variable} has no effect: ${isPlain}, so ${so}. Use tls://, or unset the file.`;
  }
  if (natsTls === 'first') {
    yield `TAPELOOM_NATS_TLS is first, but ${isPlain}. Use tls://, or unset it.`;
  }
}

function file(variable: string, holds: string): Setting<string | null> {
  return text<string | null>(
    { variable, fallback: null },
    `the path of a file with ${holds}`,
    (value) => value !== '' && !value.includes('\0'),
  );
}

/** At least one role, each once. */
function roleList(): Setting<readonly NodeRole[]> {
  const list = listOf<NodeRole>(
    { variable: 'TAPELOOM_ROLES', fallback: ROLES },
    'ingest, serve, or both separated by a comma',
    (item) => ROLES.find((role) => role === item) ?? null,
  );
  return {
    ...list,
    read: (raw) => {
      const roles = list.read(raw);
      const isCounted = roles !== undefined && new Set(roles).size === roles.length;
      return isCounted && roles.length > 0 ? roles : undefined;
    },
  };
}

function natsServer(item: string): string | null {
  const url = URL.parse(item);
  if (url === null || !/^(?:nats|tls):$/.test(url.protocol)) return null;
  return isBare(url) ? item.replace(/\/$/, '') : null;
}

function monitorAddress(item: string): string | null {
  const url = URL.parse(item);
  if (url === null || !/^https?:$/.test(url.protocol)) return null;
  return isBare(url) ? url.origin : null;
}

/** A host, optionally with a port, and nothing else. */
function isBare(url: URL): boolean {
  const { username, password, pathname, search, hash } = url;
  const isAlone = `${username}${password}${search}${hash}` === '';
  return isAlone && (pathname === '' || pathname === '/') && isServerHost(serverHostOf(url));
}
