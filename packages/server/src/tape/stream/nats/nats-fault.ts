/** What keeps us from using a NATS server, in a sentence that names the setting to look at. */

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

/** What an encrypted line calls a server's word on our certificate. */
const CERTIFICATE_ALERT = /ALERT_(?:CERTIFICATE|BAD_CERTIFICATE|UNSUPPORTED_CERT|UNKNOWN_CA)/;
/** What a server says who has heard no certificate by TLS 1.2, and much else. */
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
          `${TLS}: ${url} can be reached and does not greet: set it to first if handshake_first is set there`,
        )
      : passing(`${URL}: ${url} does not answer: ${said}`))
  );
}

/** A file that is gone, or holds something else. */
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

/** We are heard, and may not. */
function refusal(
  address: NatsAddress,
  url: string,
  cause: unknown,
  said: string,
): ServerFault | null {
  const { credsFile, tokenFile, certFile } = address;
  if (isNotLetIn(cause)) {
    const file = credsFile ?? tokenFile;
    const asWhom = certFile === null ? '' : `, and nobody by the certificate in ${certFile}`;
    return lasting(
      file === null
        ? `${CREDS}: ${url} lets in only whom it knows${asWhom}: name a file with ${CREDENTIALS_ACCEPT}; or ${TOKEN}, a file with a token`
        : `${credsFile === null ? TOKEN : CREDS}: ${url} does not let us in with ${file}: ${said}`,
    );
  }
  if (cause instanceof errors.PermissionViolationError) {
    return lasting(
      `${CREDS}: our user at ${url} may not ${cause.operation} ${cause.subject}: let it publish to $JS.API.>, $JS.ACK.>, $O.> and tape.>, and subscribe to _INBOX.> and tape.>`,
    );
  }
  if (cause instanceof errors.NoRespondersError) {
    return passing(
      `${URL}: nobody answers for JetStream at ${url}: it is off there, or for the account of our user, or servers choose who leads`,
    );
  }
  return null;
}

/** One of us does not believe the other, or they do not speak the same. */
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
          ? `${CA}: the certificate of ${url} is not believed: name a file with the certificate of who vouches for it`
          : `${CA}: the certificate of ${url} is not of who ${caFile} says: ${said}`,
      );
    case 'not good':
      return lasting(`${URL}: the certificate of ${url} is not good: ${said}`);
    case null:
  }
  if (CERTIFICATE_ALERT.test(code) || (certFile === null && HANDSHAKE_ALERT.test(code))) {
    return lasting(
      certFile === null
        ? `${CERT}: ${url} asks for a certificate of ours: name a file with one, and by ${KEY} a file with its key`
        : `${CERT}: ${url} does not take the certificate in ${certFile}: ${alertOf(said)}`,
    );
  }
  if (isTlsFirst && code === 'ERR_SSL_WRONG_VERSION_NUMBER') {
    return lasting(
      `${TLS}: read first, and ${url} greets before TLS, or has none: leave it out, or set handshake_first there`,
    );
  }
  if (/does not support 'tls'|offers no TLS/.test(said)) {
    return lasting(
      `${URL}: ${url} has no TLS: turn it on there, or write nats:// where nobody else is on the network`,
    );
  }
  return null;
}

/** The few words that count of what OpenSSL says. */
function alertOf(said: string): string {
  return /alert ([a-z ]+)/.exec(said)?.[1] ?? said;
}

function isNotLetIn(cause: unknown): boolean {
  return (
    cause instanceof errors.AuthorizationError ||
    cause instanceof errors.UserAuthenticationExpiredError
  );
}
