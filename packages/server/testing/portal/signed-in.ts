/** Signs in as the owner of an account, by a link as it would be mailed. */

import { randomBytes } from 'node:crypto';
import type { EpochNs } from '@tapeloom/core/numbers';
import { normalEmail } from '@tapeloom/core/person/email-address';
import { digestOf, newSessionText } from '../../src/accounts/auth/secret.ts';
import type { SessionRecord } from '../../src/accounts/people/people-store.ts';
import type { AccountStore } from '../../src/accounts/store/account-store.ts';

export interface SignedIn {
  readonly session: SessionRecord;
  /** The browser's secret. */
  readonly secret: string;
}

/** Creates an owner if the account has none. */
export async function signIn(
  store: AccountStore,
  now: EpochNs,
  accountId: string,
): Promise<SignedIn> {
  const call = { now, actor: { kind: 'operator' } } as const;
  const owner = await store.people.ownerOf(accountId);
  const address = normalEmail(owner?.email ?? `${accountId}@example.com`)!;
  if (owner === null) made(await store.people.setOwner(call, accountId, address));
  const link = digestOf(randomBytes(20).toString('hex')).hash;
  const wanted = { purpose: 'sign-in', address, accountId: null, askedFrom: null } as const;
  made(await store.people.addLink(now, link, wanted));
  const secret = newSessionText(randomBytes);
  const { hash } = digestOf(secret);
  const begun = { hash, browser: 'Chromium on Linux', replaces: null, askedFrom: '203.0.113.7' };
  const { session } = made(await store.people.signIn(now, link, begun));
  return { session, secret };
}

function made<Result extends object>(result: Result): Exclude<Result, { refused: unknown }> {
  if ('refused' in result) throw new Error(`refused: ${JSON.stringify(result)}`);
  return result as Exclude<Result, { refused: unknown }>;
}
