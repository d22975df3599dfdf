/**
 * The way of a replay's user to its chart: a link that signs in to the account of the replay, once and within a quarter of
 * an hour, and then leads to the page that draws what is played. The account lives as long as the replay's directory.
 */

import type { EpochNs } from '@tapeloom/core/numbers';
import { normalEmail } from '@tapeloom/core/person/email-address';
import { digestOf, newLinkText, type RandomBytes } from '../../accounts/auth/secret.ts';
import type { AccountStore } from '../../accounts/store/account-store.ts';
import { DEMO_ACCOUNT } from './demo-account.ts';

/** No mail ever leaves for it. */
const OWNER = normalEmail('you@replay.invalid')!;
const CHART_PATH = '/docs/indicators/footprint?live';

/** Null: the account is not there, or is somebody's. */
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
