/**
 * The one place where requests are let in, for every path, known or not. In this order: who is it (401,
 * or 429 after too many failures from an address), is there allowance left (429), is there anything here
 * (404, 405), may this caller have it (403). Only then does a route look at body and query.
 *
 * From the moment a key is recognised its request counts, and every answer, whatever it says, carries
 * the rate-limit headers. Requests without one are limited by address, and carry none. Who is signed in to the
 * portal is known by a cookie, has a limit of its own, and changes something from the portal's own pages only.
 */

import type { Socket } from 'node:net';
import type { CountedLimit } from '@tapeloom/core/entitlement/entitlements';
import type { IpRange } from '@tapeloom/core/entitlement/ip-range';
import { waitText } from '@tapeloom/core/person/wait-text';
import type { AllowanceVerdict } from '@tapeloom/core/quota/allowance';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type AddressThrottle, neighbourhood } from '../../accounts/auth/address-throttle.ts';
import { type Authenticator, sentAuthorization } from '../../accounts/auth/authenticator.ts';
import type { Caller } from '../../accounts/auth/caller.ts';
import type { Doorkeeper, DoorRefusal, DoorVerdict } from '../../accounts/auth/doorkeeper.ts';
import type { Session, SessionKeeper, SessionVerdict } from '../../accounts/auth/session-keeper.ts';
import type { Allowances } from '../../accounts/limits/allowances.ts';
import { type AccountStore, AccountsUnavailableError } from '../../accounts/store/account-store.ts';
import type { Clock } from '../../platform/clock.ts';
import { clientAddress } from '../../platform/network/client-address.ts';
import type { DoorSockets } from '../../platform/network/door-sockets.ts';
import { whenKnown } from '../../platform/waiting/when-known.ts';
import { requireOwnOrigin, requireOwnPage } from '../portal/sessions/own-origin.ts';
import { sessionCaller } from '../portal/sessions/session-caller.ts';
import { readSessionCookie } from '../portal/sessions/session-cookie.ts';
import { UnknownSenders } from './bodies/unknown-senders.ts';
import { ProblemError } from './problems/problem-error.ts';
import { notSignedIn, unauthorized } from './problems/unauthorized.ts';
import { RATE_WINDOW_SECONDS } from './rate-headers.ts';
import type { Access } from './route.ts';

export interface AdmissionOptions {
  readonly authenticator: Pick<Authenticator, 'isCurrent'>;
  readonly doorkeeper: Doorkeeper;
  readonly allowances: Allowances;
  readonly addresses: AddressThrottle;
  /** The clock of accounts. */
  readonly clock: Clock;
  /** Whose word is taken on where a request came from. */
  readonly trustedProxies: () => readonly IpRange[];
  readonly sockets: DoorSockets;
  readonly portal: PortalDoor;
}

/** What is known of who is signed in, and where. */
export interface PortalDoor {
  readonly sessions: Pick<SessionKeeper, 'recall' | 'find'>;
  readonly store: Pick<AccountStore, 'findAccount'>;
  /** The origin at which people reach the service. */
  origin(): string;
}

/** Who was let in; both null where nobody needs to be known. */
export interface Admitted {
  readonly caller: Caller | null;
  readonly session: Session | null;
}

const NOBODY: Admitted = { caller: null, session: null };
const RETRY_AFTER_BUSY_S = 1;
export const SESSION_REQUESTS_PER_MINUTE: CountedLimit = { limit: 300, testLimit: null };

/** What a request knocked at. */
export interface Door {
  readonly access: Access;
  /** A page, of which a browser asks for many at once. */
  readonly isPage?: true;
  /** Only the portal's own pages may ask for it. */
  readonly isOwnPagesOnly?: boolean;
  /** Not for who is signed in to a suspended account: looking, ending and leaving is all that is left. */
  readonly isClosedToSuspended?: boolean;
  /** A signature says who knocks: only who failed too often to have one is not let in. */
  readonly isSigned?: boolean;
  /** Why there is nothing here: an unknown path or method. */
  readonly refusal?: () => ProblemError;
}

/** Where a connection keeps what is known of it: nothing is looked up by it. */
const KNOWN = Symbol('known');

/** What is known of a connection: most have one address and one customer. */
interface Known {
  /** Where it comes from, where no proxy stands between. */
  readonly address: string;
  /** What its last request with a valid key said, which need not be judged from scratch; null: there was none. */
  authorization: string | null;
  caller: Caller | null;
}

type KnownSocket = Socket & { [KNOWN]?: Known };

export class Admission {
  readonly #options: AdmissionOptions;
  readonly #unknown = new UnknownSenders();

  constructor(options: AdmissionOptions) {
    this.#options = options;
  }

  /** A caller whose request counts is named in it, also when it is refused after that. */
  admit(request: FastifyRequest, reply: FastifyReply, door: Door): Promise<Admitted> | Admitted {
    const address = this.addressOf(request);
    this.#enter(request.raw.socket, reply, address);
    const isOfSession = door.access === 'session' || door.access === 'session-as-key';
    const who = isOfSession
      ? this.#signedIn(request, reply, door, address)
      : this.#calling(request, reply, door, address);
    return whenKnown(who, (admitted) => {
      const { caller, session } = admitted;
      if (door.refusal !== undefined) throw door.refusal();
      if (door.isOwnPagesOnly === true) {
        requireOwnOrigin(request.headers.origin, this.#options.portal.origin());
      }
      if (caller !== null) requireRights(caller, address, door.access);
      if (session?.isSuspended === true && door.isClosedToSuspended === true) throw suspended();
      return admitted;
    });
  }

  /** Who calls with a key; nobody where none was recognised and none is needed. */
  #calling(
    request: FastifyRequest,
    reply: FastifyReply,
    door: Door,
    address: string,
  ): Promise<Admitted> | Admitted {
    const caller = this.#recognise(request, address, door.access);
    return whenKnown(caller, (known) => {
      if (known === null) {
        this.#hear(reply, door, address);
        return NOBODY;
      }
      this.#options.sockets.recognised(request.raw.socket, known.accountId);
      return this.#count(known, request, reply);
    });
  }

  /** Who sends no key is held to what his address may. */
  #hear(reply: FastifyReply, door: Door, address: string): void {
    const { addresses, clock } = this.#options;
    const now = clock.now();
    if (door.isSigned === true) {
      const tooMany = addresses.signedRequest(now, address);
      if (tooMany !== null) requireGrant(tooMany);
      if (!addresses.isSigning(now, address)) this.#hearUnknown(reply, neighbourhood(address));
    } else if (door.isPage === true) requireGrant(addresses.pageRequest(now, address));
    else requireGrant(addresses.publicRequest(now, address));
  }

  #count(
    caller: Caller,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<Admitted> | Admitted {
    const { allowances, clock } = this.#options;
    const perMinute = caller.entitlements.counted('restPerMinute');
    return whenKnown(allowances.take(clock.now(), caller.accountId, perMinute), (verdict) => {
      setRateHeaders(reply, verdict);
      requireGrant(verdict);
      request.countsFor = caller;
      return { caller, session: null };
    });
  }

  /**
   * Who is signed in, and where that is asked the key that he is seen as. Another site's link brings the cookie
   * along, so where it comes from is judged before anything of the account is used up.
   */
  async #signedIn(
    request: FastifyRequest,
    reply: FastifyReply,
    door: Door,
    address: string,
  ): Promise<Admitted> {
    const { headers, raw } = request;
    const { portal, doorkeeper, allowances, clock, sockets } = this.#options;
    const text = readSessionCookie(headers.cookie, portal.origin());
    const judged = await doorkeeper.judge(address, portal.sessions.recall(text), () =>
      portal.sessions.find(text!),
    );
    if (judged.verdict !== 'accepted') throw refusedSession(judged);
    const { session } = judged;
    sockets.recognised(raw.socket, session.accountId);
    const who = `session of ${session.accountId}`;
    requireGrant(await allowances.take(clock.now(), who, SESSION_REQUESTS_PER_MINUTE));
    if (door.access !== 'session-as-key') return { caller: null, session };
    requireOwnPage(headers, portal.origin());
    const caller = await sessionCaller(portal.store, session, clock.now());
    return { ...(await this.#count(caller, request, reply)), session };
  }

  /** What is not known to be signed is read whole before anybody can tell, so few are read at once. */
  #hearUnknown(reply: FastifyReply, from: string): void {
    const leave = this.#unknown.enter(from);
    if (leave === null)
      throw tooBusy('Too many unauthenticated clients at once; try again in a moment.');
    reply.raw.once('close', leave);
  }

  /** From here to the end of its answer the request holds its connection's place. */
  #enter(socket: Socket, reply: FastifyReply, address: string): void {
    const { sockets } = this.#options;
    const hasRoom = sockets.request(socket, () => neighbourhood(address));
    reply.raw.on('close', () => sockets.answered(socket));
    if (!hasRoom) throw tooBusy('Too many requests are under way; try again in a moment.');
  }

  /** Where the request comes from. */
  addressOf({ raw: { headers, socket } }: FastifyRequest): string {
    const trustedProxies = this.#options.trustedProxies();
    if (trustedProxies.length === 0) return knownOf(socket).address;
    const forwarded = headers['x-forwarded-for'];
    const claims = Array.isArray(forwarded) ? forwarded.join(',') : forwarded;
    return clientAddress(socket.remoteAddress, claims, trustedProxies);
  }

  /** Whose key came along; null where there is none and none is needed. */
  #recognise(
    { raw }: FastifyRequest,
    address: string,
    access: Access,
  ): Promise<Caller | null> | Caller | null {
    if (access === 'public') return null;
    const authorization = sentAuthorization(raw);
    if (access === 'optional' && authorization === undefined) return null;
    const last = knownOf(raw.socket);
    if (last.caller !== null && last.authorization === authorization) {
      if (this.#options.authenticator.isCurrent(last.caller)) return last.caller;
    }
    return this.#judge(last, authorization, address, access);
  }

  async #judge(
    last: Known,
    authorization: string | undefined,
    address: string,
    access: Access,
  ): Promise<Caller | null> {
    const result = await this.#look(address, authorization, access);
    if (result === null) return null;
    if (result.verdict === 'accepted') {
      last.authorization = authorization!;
      last.caller = result.caller;
      return result.caller;
    }
    const { verdict } = result;
    if (verdict === 'busy' || verdict === 'throttled') throw refusedAtDoor(result);
    if (access === 'optional') return null;
    throw unauthorized(verdict);
  }

  /** Null where the accounts cannot be asked and nobody needs to be known. */
  async #look(
    address: string,
    authorization: string | undefined,
    access: Access,
  ): Promise<DoorVerdict | null> {
    try {
      return await this.#options.doorkeeper.byKey(address, authorization);
    } catch (error) {
      if (access === 'optional' && error instanceof AccountsUnavailableError) return null;
      throw error;
    }
  }
}

function knownOf(socket: KnownSocket): Known {
  socket[KNOWN] ??= {
    address: clientAddress(socket.remoteAddress, undefined, []),
    authorization: null,
    caller: null,
  };
  return socket[KNOWN];
}

function refusedSession(
  judged: Exclude<SessionVerdict, { readonly verdict: 'accepted' }> | DoorRefusal,
): ProblemError {
  if (judged.verdict === 'busy' || judged.verdict === 'throttled') return refusedAtDoor(judged);
  return notSignedIn(
    judged.verdict === 'missing'
      ? 'Sign in to the portal first.'
      : 'Your session has ended; sign in again.',
  );
}

/** The answer to who is not looked at, or failed too often. */
export function refusedAtDoor(refusal: DoorRefusal): ProblemError {
  if (refusal.verdict === 'throttled') {
    return tooMany('Too many failed authentications from your address.', refusal);
  }
  return tooBusy(
    'Too many keys from your address are waiting to be checked; try again in a moment.',
  );
}

function requireRights(caller: Caller, address: string, access: Access): void {
  // What everybody may see is kept from nobody for the key that came along.
  if (access === 'public' || access === 'optional' || access === 'session') return;
  if (caller.isSuspended) throw suspended();
  if (!caller.entitlements.allowsAddress(address)) {
    throw new ProblemError('FORBIDDEN', 'The key may not be used from your IP address.');
  }
  // Of a session its routes say what it may do.
  if (access === 'key' || access === 'session-as-key') return;
  if (!caller.entitlements.hasScope(access.scope)) {
    throw new ProblemError('FORBIDDEN', `The key needs the scope ${access.scope}.`);
  }
}

function suspended(): ProblemError {
  return new ProblemError('FORBIDDEN', 'The account is suspended.');
}

function setRateHeaders(reply: FastifyReply, verdict: AllowanceVerdict): void {
  // In small letters, as they are sent in the end.
  reply
    .header('ratelimit-limit', verdict.limit)
    .header('ratelimit-remaining', verdict.remaining)
    .header('ratelimit-reset', verdict.resetSeconds)
    .header('ratelimit-policy', `${verdict.limit};w=${RATE_WINDOW_SECONDS}`);
}

function requireGrant(verdict: AllowanceVerdict): void {
  if (!verdict.granted) throw tooMany('Too many requests in a minute.', verdict);
}

export function tooMany(
  detail: string,
  { retryAfterSeconds }: Pick<AllowanceVerdict, 'retryAfterSeconds'>,
): ProblemError {
  return new ProblemError(
    'RATE_LIMITED',
    `${detail} Try again in ${waitText(retryAfterSeconds)}.`,
    {
      headers: { 'retry-after': String(retryAfterSeconds) },
    },
  );
}

function tooBusy(detail: string): ProblemError {
  return new ProblemError('CAPACITY', detail, {
    headers: { 'retry-after': String(RETRY_AFTER_BUSY_S) },
  });
}
