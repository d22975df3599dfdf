/**
 * Who we are to a NATS server, out of one file: credentials as `nsc` makes them, the seed of an nkey, or a user and a password; or
 * out of another one, a token. Such a file is read anew at every start and never shown.
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

/** The file is there and is none of what is accepted. */
export class NatsCredentialsError extends Error {}

/** The token's file is there and holds none. */
export class NatsTokenError extends Error {}

const SEED = /^SU[A-Z2-7]{56}$/;
const USER_AND_PASSWORD = /^([^\s:]+):(\S+)$/;
const TOKEN = /^\S+$/;

/** Null: we are nobody in particular. */
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
    // It is taken apart only when a server asks.
    authenticator('trial');
    return authenticator;
  } catch {
    // What it says may show a part of the file.
    throw new NatsCredentialsError(`it contains none of ${CREDENTIALS_ACCEPT}`);
  }
}
