/**
 * A link for the user of a replay: it signs in to the replay's account, once and within a quarter of an hour, and opens
 * the chart. The account exists as long as the replay's directory.
 */

import type { EpochNs } from '@tapeloom/core/numbers';
import { normalEmail } from '@tapeloom/core/person/email-address';
import { digestOf, newLinkText, type RandomBytes } from '../../accounts/auth/secret.ts';
import type { AccountStore } from '../../accounts/store/account-store.ts';
import { DEMO_ACCOUNT } from './demo-account.ts';

/** No mail is ever sent to this address. */
const OWNER = normalEmail('you@replay.invalid')!;
const CHART_PATH = '/docs/indicators/footprint?live';

/** Null if the account is missing or has an owner, or if the link was rejected. */
export async function replayLink(
  store: Pick<AccountStore, 'findAccount' | 'people'>,
  now: EpochNs,
  origin: string,
  random: RandomBytes,
): Promise<string | null> {
  const account = await store.findAccount(DEMO_ACCOUNT);
  if (account === null || (await store.people.ownerOf(account.id)) !== null) return null;
  await store.people.setOwner({ now, actor: { kind: 'operator' } }, account.id, OWNER);
  const token = newLinkText(random);
  const made = await store.people.addLink(now, digestOf(token).hash, {
    purpose: 'sign-in',
    address: OWNER,
    accountId: null,
    askedFrom: null,
  });
  if ('refused' in made) return null;
  return `${origin}/sign-in?next=${encodeURIComponent(CHART_PATH)}#${token}`;
}
