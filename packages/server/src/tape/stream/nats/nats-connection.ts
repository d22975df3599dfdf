/**
 * A connection to NATS that detects a dead connection within about two seconds and then retries the configured servers
 * without limit. It uses only those servers: addresses that servers advertise may be unreachable from here.
 */

import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { type ConnectionOptions, checkServerIdentity, type PeerCertificate } from 'node:tls';
import { connect, errors, type NatsConnection, type TlsOptions } from '@nats-io/transport-node';
import { checkNatsCertificate } from './nats-certificate.ts';
import { natsAuthenticator } from './nats-credentials.ts';
import { tryNatsTls } from './nats-tls-trial.ts';

/** The client's defaults detect a dead connection only after minutes. */
const PING_MS = 1_000;
const PINGS_MISSED_MAX = 2;
const CONNECT_MS_MAX = 2_000;
const RECONNECT_MS = 100;
const RECONNECT_MORE_MS = 100;

export interface NatsAddress {
  readonly servers: readonly string[];
  readonly credsFile: string | null;
  readonly tokenFile: string | null;
  readonly caFile: string | null;
  /** The client certificate for servers that require one; both or none. */
  readonly certFile: string | null;
  readonly keyFile: string | null;
  /** Whether the servers start TLS before their greeting. */
  readonly isTlsFirst: boolean;
}

/** The client passes all options to the socket, which its types do not show. */
type NatsTls = TlsOptions & Required<Pick<ConnectionOptions, 'checkServerIdentity'>>;

/** Rejects when no server responds, or a response violates the protocol. */
export async function connectNats(address: NatsAddress, name: string): Promise<NatsConnection> {
  const isEncrypted =
    address.caFile !== null || address.servers.some((at) => at.startsWith('tls:'));
  const authenticator = await natsAuthenticator(address);
  const tls = isEncrypted ? await tlsOf(address) : null;
  const connection = await connect({
    servers: [...address.servers],
    name,
    timeout: CONNECT_MS_MAX,
    pingInterval: PING_MS,
    maxPingOut: PINGS_MISSED_MAX,
    maxReconnectAttempts: -1,
    reconnectTimeWait: RECONNECT_MS,
    reconnectJitter: RECONNECT_MORE_MS,
    reconnectJitterTLS: RECONNECT_MORE_MS,
    ignoreClusterUpdates: true,
    // A server that is being set up may reject the login for a while. A permanent rejection shows at the requests that
    // wait for responses.
    ignoreAuthErrorAbort: true,
    ...(authenticator === null ? {} : { authenticator }),
    ...(tls === null ? {} : { tls }),
  }).catch(async (error: unknown) => {
    throw (tls === null ? null : await tlsRefusal(error, address, tls)) ?? error;
  });
  if (isEncrypted) await refusePlain(connection);
  return connection;
}

/**
 * The client verifies a certificate for the configured host name, but for `localhost` when given a bare address, which
 * proves nothing. So here a certificate must be valid for its server's name, or for one of the configured addresses.
 */
async function tlsOf(address: NatsAddress): Promise<NatsTls> {
  const { caFile, certFile, keyFile, isTlsFirst } = address;
  const hosts = address.servers.map((server) => hostOf(server));
  const addresses = hosts.filter((host) => isIP(host) !== 0);
  const identity = (asked: string, certificate: PeerCertificate): Error | undefined => {
    if (hosts.includes(asked)) return checkServerIdentity(asked, certificate);
    const faults = addresses.map((bare) => checkServerIdentity(bare, certificate));
    return faults.includes(undefined) ? undefined : faults[0];
  };
  const options: NatsTls = { checkServerIdentity: identity, handshakeFirst: isTlsFirst };
  if (caFile !== null) options.ca = await readFile(caFile, 'utf8');
  if (certFile !== null && keyFile !== null) {
    await checkNatsCertificate(certFile, keyFile);
    // As file names: the client reads them for every connection, so a renewed certificate needs no restart.
    Object.assign(options, { certFile, keyFile });
  }
  return options;
}

/** The server's TLS error when the client received none, if there is only one server that can have sent it. */
async function tlsRefusal(
  error: unknown,
  { servers: [server, ...others], certFile, keyFile, isTlsFirst }: NatsAddress,
  { ca, checkServerIdentity }: NatsTls,
): Promise<Error | null> {
  // The second case is a connection closed before any data.
  const isUnheard =
    error instanceof errors.TimeoutError ||
    (error instanceof errors.ConnectionError && /undefined error$/.test(error.message));
  if (!isUnheard || isTlsFirst || server === undefined || others.length > 0) return null;
  const own =
    certFile === null || keyFile === null
      ? {}
      : { cert: await readFile(certFile), key: await readFile(keyFile) };
  const authority = ca === undefined ? {} : { ca };
  return await tryNatsTls(server, { ...authority, ...own, checkServerIdentity });
}

function hostOf(server: string): string {
  return new URL(server).hostname.replace(/^\[|\]$/g, '');
}

/** The client accepts a server without TLS in spite of its options: then the connection is closed. */
async function refusePlain(connection: NatsConnection): Promise<void> {
  if (!isEncrypted(connection)) {
    await connection.close();
    throw new Error(`${connection.getServer()} offers no TLS, but TLS is required`);
  }
  void (async () => {
    for await (const { type } of connection.status()) {
      if (type === 'reconnect' && !isEncrypted(connection)) await connection.reconnect();
    }
  })();
}

function isEncrypted(connection: NatsConnection): boolean {
  // The client's types do not show its transport.
  const { protocol } = connection as unknown as {
    readonly protocol: { readonly transport: { isEncrypted(): boolean } };
  };
  return protocol.transport.isEncrypted();
}
