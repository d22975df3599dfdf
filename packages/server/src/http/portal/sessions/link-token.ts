/**
 * Mailed links: made with the configured origin, and checked when they come back. A text that is no link of ours counts
 * as a failed authentication of the sender's address, so guessing is throttled.
 */

import { randomBytes } from 'node:crypto';
import type { EpochNs } from '@tapeloom/core/numbers';
import { type EmailAddress, normalEmail } from '@tapeloom/core/person/email-address';
import { neighbourhood } from '../../../accounts/auth/address-throttle.ts';
import { digestOf, isSoundLink, newLinkText } from '../../../accounts/auth/secret.ts';
import type {
  LinkPurpose,
  LinkRefused,
  SessionRecord,
  TooMany,
} from '../../../accounts/people/people-store.ts';
import { Type } from '../../contract/schema.ts';
import { refusedByThrottle } from '../../server/admission.ts';
import { type ProblemError, rateLimited } from '../../server/problems/problem-error.ts';
import { notSignedIn } from '../../server/problems/unauthorized.ts';
import type { PortalFacts } from '../portal-facts.ts';

const TOKEN_CHARACTERS_MAX = 1_000;

/** The part behind the `#` of a link: browsers send it to no server, and mail scanners do not post it. */
export const TokenField = Type.String({
  maxLength: TOKEN_CHARACTERS_MAX,
  description: 'The text after the # of the link.',
});

const TEXTS: Readonly<Record<LinkRefused['refused'], string>> = {
  unknown: 'This link is incomplete or belongs to another account. Request a new one.',
  used: 'This link was already used; each link works once. Request a new one.',
  expired: 'This link has expired. Request a new one.',
};

export interface NewLinkText {
  /** The stored form. */
  readonly hash: string;
  readonly link: string;
}

export function newLink(origin: string): NewLinkText {
  const token = newLinkText(randomBytes);
  return { hash: digestOf(token).hash, link: linkOf(origin, token) };
}

function linkOf(origin: string, token: string): string {
  return `${origin}/sign-in#${token}`;
}

const UNKNOWN: LinkRefused = { refused: 'unknown' };
const REFUSALS: readonly string[] = Object.keys(TEXTS);

/** The result of a valid link; throws for any other. */
export async function byLink<Found extends object>(
  { authThrottle }: Pick<PortalFacts, 'authThrottle'>,
  { address, token }: { readonly address: string; readonly token: string },
  look: (hash: string) => Promise<Found | LinkRefused>,
): Promise<Found> {
  const isSound = isSoundLink(token);
  const known = isSound ? null : judged<Found>(UNKNOWN);
  const verdict = await authThrottle.judge(address, known, async () =>
    judged(await look(digestOf(token).hash)),
  );
  if (verdict.verdict === 'accepted') return verdict.found;
  if (verdict.verdict === 'refused') throw notSignedIn(TEXTS[verdict.refused]);
  throw refusedByThrottle(verdict);
}

type Judged<Found> =
  | { readonly verdict: 'accepted'; readonly found: Found }
  | { readonly verdict: 'refused'; readonly refused: LinkRefused['refused'] };

/** Other rejections do not concern the link. */
function judged<Found extends object>(found: Found | LinkRefused): Judged<Found> {
  if ('refused' in found && REFUSALS.includes(found.refused as string)) {
    return { verdict: 'refused', refused: (found as LinkRefused).refused };
  }
  return { verdict: 'accepted', found: found as Found };
}

export function tooManyLinks({ until }: TooMany, now: EpochNs): ProblemError {
  return rateLimited('Too many links were requested within an hour.', until, now);
}

/** A link to the owner of the session's account, who alone can use it. */
export async function ownersLink(
  { store, origin }: Pick<PortalFacts, 'store' | 'origin'>,
  request: {
    readonly session: Pick<SessionRecord, 'accountId' | 'email'>;
    readonly now: EpochNs;
    readonly from: string;
    readonly purpose: LinkPurpose;
    readonly newAddress?: EmailAddress;
  },
): Promise<string> {
  const { session, now, from, purpose, newAddress } = request;
  const { hash, link } = newLink(origin);
  const made = await store.people.addLink(now, hash, {
    purpose,
    address: normalEmail(session.email)!,
    accountId: session.accountId,
    askedFrom: neighbourhood(from),
    ...(newAddress === undefined ? {} : { newAddress }),
  });
  if ('refused' in made) throw tooManyLinks(made, now);
  return link;
}
