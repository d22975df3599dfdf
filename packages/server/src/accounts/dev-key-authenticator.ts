/** One key, from the configuration. It is compared by digest and in constant time, never by text. */

import { createHash, timingSafeEqual } from 'node:crypto';
import { type Authentication, type Authenticator, bearerKey } from './authenticator.ts';

const ACCEPTED: Authentication = {
  verdict: 'accepted',
  principal: { accountId: 'development', keyId: 'development' },
};

export class DevKeyAuthenticator implements Authenticator {
  readonly #digest: Buffer;

  constructor(key: string) {
    this.#digest = digest(key);
  }

  authenticate(authorization: string | undefined): Promise<Authentication> {
    return Promise.resolve(this.#judge(authorization));
  }

  #judge(authorization: string | undefined): Authentication {
    if (authorization === undefined) return { verdict: 'missing' };
    const key = bearerKey(authorization);
    if (key === null) return { verdict: 'malformed' };
    return timingSafeEqual(digest(key), this.#digest) ? ACCEPTED : { verdict: 'unknown' };
  }
}

function digest(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}
