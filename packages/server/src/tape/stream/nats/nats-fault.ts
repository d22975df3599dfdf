/** What keeps us from using a NATS server, in a sentence that names the setting to look at. */

import { errors } from '@nats-io/transport-node';
import { certificateFault, innermostError } from '../../../platform/certificate-fault.ts';
import type { NatsAddress } from './nats-connection.ts';
import { CREDENTIALS_ACCEPT, NatsCredentialsError } from './nats-credentials.ts';

export interface NatsFault {
  readonly sentence: string;
  /** Whether it may well pass by itself, as when a server comes up later than its node. */
  readonly isPassing: boolean;
}

const URL = 'TAPELOOM_NATS_URL';
const CREDS = 'TAPELOOM_NATS_CREDS_FILE';
const CA = 'TAPELOOM_NATS_CA_FILE';

export function natsFault(
  { credsFile, caFile }: NatsAddress,
  url: string,
  error: unknown,
): NatsFault {
  const cause = innermostError(error);
  const said = cause instanceof Error ? cause.message : String(cause);
  const { code = '', path } = (cause ?? {}) as { readonly code?: string; readonly path?: string };
  const lasting = (sentence: string): NatsFault => ({ sentence, isPassing: false });
  const passing = (sentence: string): NatsFault => ({ sentence, isPassing: true });
  if (path !== undefined && (path === credsFile || path === caFile)) {
    return lasting(`${path === caFile ? CA : CREDS}: the file cannot be read: ${said}`);
  }
  if (cause instanceof NatsCredentialsError) return lasting(`${CREDS}: ${credsFile}: ${said}`);
  if (isNotLetIn(cause)) {
    return lasting(
      credsFile === null
        ? `${CREDS}: ${url} lets in only whom it knows: name a file with ${CREDENTIALS_ACCEPT}`
        : `${CREDS}: ${url} does not let us in with ${credsFile}: ${said}`,
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
  if (/does not support 'tls'|offers no TLS/.test(said)) {
    return lasting(
      `${URL}: ${url} has no TLS: turn it on there, or write nats:// where nobody else is on the network`,
    );
  }
  if (cause instanceof errors.TimeoutError && url.startsWith('tls:')) {
    return passing(
      `${URL}: ${url} does not answer. Does it ask for certificates of its clients (verify), or for TLS before it greets (handshake_first)? Neither is spoken here`,
    );
  }
  return passing(`${URL}: ${url} does not answer: ${said}`);
}

function isNotLetIn(cause: unknown): boolean {
  return (
    cause instanceof errors.AuthorizationError ||
    cause instanceof errors.UserAuthenticationExpiredError
  );
}
