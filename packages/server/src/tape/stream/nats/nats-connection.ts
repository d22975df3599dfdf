/**
 * A connection to NATS that notices within about two seconds when its line is dead, and looks for another of the servers it was
 * given for ever. It knows only those: what servers tell of each other may be addresses that cannot be reached from here.
 */

import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { type ConnectionOptions, checkServerIdentity, type PeerCertificate } from 'node:tls';
import { connect, errors, type NatsConnection, type TlsOptions } from '@nats-io/transport-node';
import { checkNatsCertificate } from './nats-certificate.ts';
import { natsAuthenticator } from './nats-credentials.ts';
import { tryNatsTls } from './nats-tls-trial.ts';

/** The client's own defaults notice a dead line after minutes. */
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
  /** What we show to servers that ask for a certificate; both or none. */
  readonly certFile: string | null;
  readonly keyFile: string | null;
  /** Whether the servers want TLS before they say anything. */
  readonly isTlsFirst: boolean;
}

/** Its own types do not show that the client hands everything on to the line. */
type NatsTls = TlsOptions & Required<Pick<ConnectionOptions, 'checkServerIdentity'>>;

/** Rejects where no server answers, or answers otherwise than it must. */
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
    // A server that is being set up may refuse us for a while; one that always does is told by those who wait for answers.
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
 * The client checks a certificate by the name it was given, and by `localhost` where it was given a bare address: anybody may be
 * that. So a certificate has to be good for the name of its server, or for one of the addresses that are configured.
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
    // By their names: the client reads them anew for every line, so a renewed certificate needs no new start.
    Object.assign(options, { certFile, keyFile });
  }
  return options;
}

/** What was said against us where the client has heard nothing, and one server alone can have said it. */
async function tlsRefusal(
  error: unknown,
  { servers: [server, ...others], certFile, keyFile, isTlsFirst }: NatsAddress,
  { ca, checkServerIdentity }: NatsTls,
): Promise<Error | null> {
  // The second is a line that was closed before anything was said on it.
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

/** The client takes a server that offers no TLS, whatever it was told: then nothing more is said to it. */
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
  // The client's own types do not show its line.
  const { protocol } = connection as unknown as {
    readonly protocol: { readonly transport: { isEncrypted(): boolean } };
  };
  return protocol.transport.isEncrypted();
}
