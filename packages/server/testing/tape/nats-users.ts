/** NATS users with signed credentials, as `nsc` makes them: an operator, an account with JetStream, its users. */

import { nkeys } from '@nats-io/transport-node';

type KeyPair = ReturnType<typeof nkeys.createUser>;

const TEXT = new TextDecoder();
const UNLIMITED = -1;

export class NatsUsers {
  readonly #operator = nkeys.createOperator();
  readonly #account = nkeys.createAccount();
  /** Without a system account a server has no JetStream. */
  readonly #system = nkeys.createAccount();

  /** The configuration of a server that accepts them. */
  get configuration(): string {
    const operator = signed(this.#operator, this.#operator, 'operator', {});
    const basic = {
      ...{ subs: UNLIMITED, data: UNLIMITED, payload: UNLIMITED, conn: UNLIMITED },
      ...{ leaf: UNLIMITED, imports: UNLIMITED, exports: UNLIMITED, wildcards: true },
    };
    const room = { mem_storage: UNLIMITED, disk_storage: UNLIMITED };
    const counts = { streams: UNLIMITED, consumer: UNLIMITED };
    const accountOf = (key: KeyPair, limits: object) =>
      `${key.getPublicKey()}: ${signed(key, this.#operator, 'account', { limits })}`;
    const accounts = [
      accountOf(this.#account, { ...basic, ...room, ...counts }),
      accountOf(this.#system, basic),
    ];
    return [
      `operator: ${operator}`,
      'resolver: MEMORY',
      `system_account: ${this.#system.getPublicKey()}`,
      `resolver_preload: { ${accounts.join(', ')} }`,
    ].join('\n');
  }

  /** The text of a credentials file. `expires`: seconds since 1970. */
  credentials(expires?: number): string {
    const user = nkeys.createUser();
    const limits = { subs: UNLIMITED, data: UNLIMITED, payload: UNLIMITED };
    const jwt = signed(user, this.#account, 'user', limits, expires);
    const part = (what: string, text: string) =>
      `-----BEGIN ${what}-----\n${text}\n------END ${what}------\n\n`;
    return `${part('NATS USER JWT', jwt)}${part('USER NKEY SEED', TEXT.decode(user.getSeed()))}`;
  }
}

function signed(
  of: KeyPair,
  by: KeyPair,
  type: 'operator' | 'account' | 'user',
  claims: object,
  expires?: number,
): string {
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const body = `${encode({ typ: 'JWT', alg: 'ed25519-nkey' })}.${encode({
    ...{ jti: of.getPublicKey(), iat: 0, iss: by.getPublicKey(), name: type },
    ...{ sub: of.getPublicKey(), ...(expires === undefined ? {} : { exp: expires }) },
    nats: { ...claims, type, version: 2 },
  })}`;
  const signature = by.sign(new TextEncoder().encode(body));
  return `${body}.${Buffer.from(signature).toString('base64url')}`;
}
