/** Describes a fault at using a NATS server in a sentence that names the setting to check. */

import { errors } from '@nats-io/transport-node';
import { certificateFault, innermostError } from '../../../platform/network/certificate-fault.ts';
import {
  lastingFault as lasting,
  passingFault as passing,
  type ServerFault,
} from '../../../platform/network/server-fault.ts';
import { NatsCertificateError } from './nats-certificate.ts';
import type { NatsAddress } from './nats-connection.ts';
import { CREDENTIALS_ACCEPT, NatsCredentialsError, NatsTokenError } from './nats-credentials.ts';
import { NatsSilentError } from './nats-tls-trial.ts';

const URL = 'TAPELOOM_NATS_URL';
const CREDS = 'TAPELOOM_NATS_CREDS_FILE';
const TOKEN = 'TAPELOOM_NATS_TOKEN_FILE';
const CA = 'TAPELOOM_NATS_CA_FILE';
const CERT = 'TAPELOOM_NATS_CERT_FILE';
const KEY = 'TAPELOOM_NATS_KEY_FILE';
const TLS = 'TAPELOOM_NATS_TLS';

/** TLS alert codes with which a server rejects a client certificate. */
const CERTIFICATE_ALERT = /ALERT_(?:CERTIFICATE|BAD_CERTIFICATE|UNSUPPORTED_CERT|UNKNOWN_CA)/;
/** The TLS 1.2 alert for a missing client certificate, among other faults. */
const HANDSHAKE_ALERT = /ALERT_HANDSHAKE_FAILURE/;

export function natsFault(address: NatsAddress, url: string, error: unknown): ServerFault {
  const cause = innermostError(error);
  const said = cause instanceof Error ? cause.message : String(cause);
  const code = (cause as { readonly code?: string } | undefined)?.code ?? '';
  return (
    fileFault(address, cause, said) ??
    refusal(address, url, cause, said) ??
    tlsFault(address, url, code, said) ??
    (cause instanceof NatsSilentError
      ? passing(
          `${TLS}: ${url} can be reached but sends no greeting: set ${TLS} to first if handshake_first is set there`,
        )
      : passing(`${URL}: ${url} does not respond: ${said}`))
  );
}

/** A file that is missing, or has other content. */
function fileFault(address: NatsAddress, cause: unknown, said: string): ServerFault | null {
  const { credsFile, tokenFile, caFile, certFile, keyFile } = address;
  const path = (cause as { readonly path?: string } | undefined)?.path;
  const files = [
    [CREDS, credsFile],
    [TOKEN, tokenFile],
    [CA, caFile],
    [CERT, certFile],
    [KEY, keyFile],
  ] as const;
  const [unread] = files.find(([, file]) => path !== undefined && path === file) ?? [];
  if (unread !== undefined) return lasting(`${unread}: the file cannot be read: ${said}`);
  if (cause instanceof NatsCredentialsError) return lasting(`${CREDS}: ${credsFile}: ${said}`);
  if (cause instanceof NatsTokenError) return lasting(`${TOKEN}: ${tokenFile}: ${said}`);
  if (!(cause instanceof NatsCertificateError)) return null;
  return lasting(
    cause.of === 'key' ? `${KEY}: ${keyFile}: ${said}` : `${CERT}: ${certFile}: ${said}`,
  );
}

/** The server responds, but denies access. */
function refusal(
  address: NatsAddress,
  url: string,
  cause: unknown,
  said: string,
): ServerFault | null {
  const { credsFile, tokenFile, certFile } = address;
  if (isNotLetIn(cause)) {
    const file = credsFile ?? tokenFile;
    const asWhom = certFile === null ? '' : `, and does not accept the certificate in ${certFile}`;
    return lasting(
      file === null
        ? `${CREDS}: ${url} requires authentication${asWhom}: set it to a file with ${CREDENTIALS_ACCEPT}; or ${TOKEN} to a file with a token`
        : `${credsFile === null ? TOKEN : CREDS}: ${url} rejects the credentials in ${file}: ${said}`,
    );
  }
  if (cause instanceof errors.PermissionViolationError) {
    return lasting(
      `${CREDS}: the user at ${url} may not ${cause.operation} ${cause.subject}: allow it to publish to $JS.API.>, $JS.ACK.>, $O.> and tape.>, and subscribe to _INBOX.> and tape.>`,
    );
  }
  if (cause instanceof errors.NoRespondersError) {
    return passing(
      `${URL}: JetStream does not respond at ${url}: it is off there, or for the account of the user, or the servers are electing a leader`,
    );
  }
  return null;
}

/** One side does not trust the other, or they do not share a protocol. */
function tlsFault(
  { caFile, certFile, isTlsFirst }: NatsAddress,
  url: string,
  code: string,
  said: string,
): ServerFault | null {
  switch (certificateFault(code)) {
    case 'untrusted':
      return lasting(
        caFile === null
          ? `${CA}: the certificate of ${url} is not trusted: set it to a file with its CA certificate`
          : `${CA}: the certificate of ${url} was not issued by a CA in ${caFile}: ${said}`,
      );
    case 'not good':
      return lasting(`${URL}: the certificate of ${url} is not good: ${said}`);
    case null:
  }
  if (CERTIFICATE_ALERT.test(code) || (certFile === null && HANDSHAKE_ALERT.test(code))) {
    return lasting(
      certFile === null
        ? `${CERT}: ${url} requires a client certificate: set it to a file with one, and ${KEY} to a file with its key`
        : `${CERT}: ${url} rejects the certificate in ${certFile}: ${alertOf(said)}`,
    );
  }
  if (isTlsFirst && code === 'ERR_SSL_WRONG_VERSION_NUMBER') {
    return lasting(
      `${TLS} is first, but ${url} greets before TLS, or has no TLS. Unset ${TLS}, or set handshake_first on the server`,
    );
  }
  if (/does not support 'tls'|offers no TLS/.test(said)) {
    return lasting(
      `${URL}: ${url} has no TLS: turn it on there, or use nats:// in a private network`,
    );
  }
  return null;
}

/** The alert's name out of an OpenSSL message. */
function alertOf(said: string): string {
  return /alert ([a-z ]+)/.exec(said)?.[1] ?? said;
}

function isNotLetIn(cause: unknown): boolean {
  return (
    cause instanceof errors.AuthorizationError ||
    cause instanceof errors.UserAuthenticationExpiredError
  );
}
