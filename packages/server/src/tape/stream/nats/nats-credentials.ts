/**
 * Authentication at a NATS server. One file holds credentials made by `nsc`, the seed of an nkey, or a user and
 * password; another may hold a token. The files are read at every start, and their content is never logged.
 */

import { readFile } from 'node:fs/promises';
import {
  type Authenticator,
  credsAuthenticator,
  nkeyAuthenticator,
  nkeys,
  tokenAuthenticator,
  usernamePasswordAuthenticator,
} from '@nats-io/transport-node';

export const CREDENTIALS_ACCEPT =
  'credentials from nsc, the seed of an nkey (it begins with SU), or user:password on one line';

/** The file exists, but has none of the accepted contents. */
export class NatsCredentialsError extends Error {}

/** The token's file exists, but holds no token. */
export class NatsTokenError extends Error {}

const SEED = /^SU[A-Z2-7]{56}$/;
const USER_AND_PASSWORD = /^([^\s:]+):(\S+)$/;
const TOKEN = /^\S+$/;

/** Null: no authentication. */
export async function natsAuthenticator({
  credsFile,
  tokenFile,
}: {
  readonly credsFile: string | null;
  readonly tokenFile: string | null;
}): Promise<Authenticator | null> {
  if (credsFile !== null) return await natsCredentials(credsFile);
  return tokenFile === null ? null : await natsToken(tokenFile);
}

async function natsToken(file: string): Promise<Authenticator> {
  const token = (await readFile(file, 'utf8')).trim();
  if (!TOKEN.test(token)) throw new NatsTokenError('it contains no token (one word on one line)');
  return tokenAuthenticator(token);
}

async function natsCredentials(file: string): Promise<Authenticator> {
  const text = await readFile(file, 'utf8');
  const line = text.trim();
  try {
    if (SEED.test(line)) {
      const seed = new TextEncoder().encode(line);
      nkeys.fromSeed(seed);
      return nkeyAuthenticator(seed);
    }
    const [, user, password] = USER_AND_PASSWORD.exec(line) ?? [];
    if (user !== undefined) return usernamePasswordAuthenticator(user, password!);
    const authenticator = credsAuthenticator(new TextEncoder().encode(text));
    // The authenticator parses it only at a server's request, so this call validates it.
    authenticator('trial');
    return authenticator;
  } catch {
    // The original message may contain a part of the file.
    throw new NatsCredentialsError(`it contains none of ${CREDENTIALS_ACCEPT}`);
  }
}
