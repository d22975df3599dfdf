/**
 * Proof by a passkey. A challenge is made for one purpose and, within a session, for that session; the first attempt
 * uses it up. A failure counts as a failed authentication of the sender's address.
 */

import { randomBytes } from 'node:crypto';
import type { EpochNs } from '@tapeloom/core/numbers';
import { neighbourhood } from '../../../accounts/auth/address-throttle.ts';
import { digestOf } from '../../../accounts/auth/secret.ts';
import type { Session } from '../../../accounts/auth/session-keeper.ts';
import type {
  ChallengePurpose,
  PasskeyAct,
  PasskeyRecord,
} from '../../../accounts/people/passkeys-store.ts';
import type { PasskeyUse } from '../../../accounts/people/people-store.ts';
import { refusedByThrottle } from '../../server/admission.ts';
import { ProblemError, rateLimited } from '../../server/problems/problem-error.ts';
import { notSignedIn } from '../../server/problems/unauthorized.ts';
import type { RouteRequest } from '../../server/route.ts';
import type { PortalFacts } from '../portal-facts.ts';
import { type AssertionBody, assertionOf, PASSKEY_HEADER } from './passkey-bodies.ts';
import { passkeyParty } from './passkey-party.ts';
import { challengeOf, provenCounter } from './webauthn.ts';

const CHALLENGE_BYTES = 32;

/** The context of a request; without a session: a visitor. */
interface Asking {
  readonly session: Pick<Session, 'id'> | null;
  readonly address: string;
  readonly now: EpochNs;
}

/** A challenge for one purpose, stored where every node finds it. */
export async function newChallenge(
  { store }: Pick<PortalFacts, 'store'>,
  { session, address, now }: Asking,
  purpose: ChallengePurpose,
): Promise<string> {
  const challenge = randomBytes(CHALLENGE_BYTES).toString('base64url');
  const sessionId = session?.id ?? null;
  const made = await store.passkeys.addChallenge(now, digestOf(challenge).hash, {
    purpose,
    sessionId,
    askedBy: sessionId ?? neighbourhood(address),
  });
  if (!('refused' in made)) return challenge;
  throw rateLimited('Too many passkey requests.', made.until, now);
}

interface Proved {
  readonly passkey: PasskeyRecord;
  readonly use: PasskeyUse;
}

type Judged = ({ readonly verdict: 'accepted' } & Proved) | { readonly verdict: 'refused' };

const REFUSED: Judged = { verdict: 'refused' };

/** The passkey that signed a challenge of this purpose; the caller must still record the use. Null: none did. */
async function provedBy(
  { store, authThrottle, origin }: PortalFacts,
  { session, address, now }: Asking,
  purpose: ChallengePurpose,
  assertion: AssertionBody,
): Promise<Proved | null> {
  const party = passkeyParty(origin);
  const challenge = challengeOf(assertion.clientDataJSON);
  const known = challenge === null ? REFUSED : null;
  const verdict = await authThrottle.judge(address, known, async (): Promise<Judged> => {
    const { hash } = digestOf(challenge!);
    const of = { purpose, sessionId: session?.id ?? null };
    const passkey = await store.passkeys.signedBy(now, hash, of, assertion.id);
    if (passkey === null) return REFUSED;
    const counter = await provenCounter(party, challenge!, assertion, passkey);
    if (counter === null) return REFUSED;
    return { verdict: 'accepted', passkey, use: { passkeyId: passkey.id, counter } };
  });
  if (verdict.verdict === 'accepted') return verdict;
  if (verdict.verdict === 'refused') return null;
  throw refusedByThrottle(verdict);
}

/** The same for signing in; throws where `provedBy` returns null. */
export async function provedAtSignIn(
  portal: PortalFacts,
  { address, now }: Omit<Asking, 'session'>,
  assertion: AssertionBody,
): Promise<Proved> {
  const asking = { session: null, address, now };
  const proved = await provedBy(portal, asking, 'sign-in', assertion);
  if (proved === null) throw notThisPasskey();
  return proved;
}

export function notThisPasskey(): ProblemError {
  return notSignedIn(
    'This passkey is unknown, or the request expired. Try again, or sign in with a link.',
  );
}

/** If the account has passkeys, the request must carry a signature of one of them for this very act. */
export async function requirePasskey(
  portal: PortalFacts,
  request: Pick<
    RouteRequest<unknown, unknown, null, Session>,
    'session' | 'address' | 'now' | 'header'
  >,
  act: PasskeyAct,
): Promise<void> {
  const { session, now, header } = request;
  const { passkeys } = portal.store;
  if ((await passkeys.passkeysOf(session.accountId)).length === 0) return;
  const sent = header(PASSKEY_HEADER.toLowerCase());
  if (sent === undefined) throw passkeyNeeded('Confirm this with one of your passkeys.');
  const proved = await provedBy(portal, request, act, assertionOf(sent));
  const isNoted =
    proved?.passkey.accountId === session.accountId &&
    (await passkeys.usePasskey(now, session.accountId, proved.use));
  if (!isNoted) {
    throw passkeyNeeded(
      'The passkey was not accepted: it belongs to another account, or the request expired.',
    );
  }
}

export function passkeyNeeded(detail: string): ProblemError {
  return new ProblemError('FORBIDDEN', detail, { members: { needsPasskey: true } });
}
