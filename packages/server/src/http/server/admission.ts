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
import type { AllowanceVerdict } from '@tapeloom/core/quota/allowance';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type AddressThrottle, neighbourhood } from '../../accounts/auth/address-throttle.ts';
import { type Authenticator, sentAuthorization } from '../../accounts/auth/authenticator.ts';
import type { Caller } from '../../accounts/auth/caller.ts';
import type { Doorkeeper, DoorRefusal } from '../../accounts/auth/doorkeeper.ts';
import type { Session, SessionKeeper, SessionVerdict } from '../../accounts/auth/session-keeper.ts';
import type { Allowances } from '../../accounts/limits/allowances.ts';
import type { AccountStore } from '../../accounts/store/account-store.ts';
import { clientAddress } from '../../platform/client-address.ts';
import type { Clock } from '../../platform/clock.ts';
import type { DoorSockets } from '../../platform/door-sockets.ts';
import { requireOwnOrigin, requireOwnPage } from '../portal/own-origin.ts';
import { sessionCaller } from '../portal/session-caller.ts';
import { readSessionCookie } from '../portal/session-cookie.ts';
import { ProblemError } from './problem-error.ts';
import { RATE_HEADERS, RATE_WINDOW_SECONDS } from './rate-headers.ts';
import type { Access } from './route.ts';
import { notSignedIn, unauthorized } from './unauthorized.ts';
import { UnknownSenders } from './unknown-senders.ts';

export interface AdmissionOptions {
  readonly authenticator: Pick<Authenticator, 'isCurrent'>;
  readonly doorkeeper: Doorkeeper;
  readonly allowances: Allowances;
  readonly addresses: AddressThrottle;
  /** The clock of accounts. */
  readonly clock: Clock;
  /** Whose word is taken on where a request came from. */
  readonly trustedProxies: readonly IpRange[];
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

/** What a connection's last request with a valid key said, and whose it was. */
interface Recognised {
  readonly authorization: string;
  readonly caller: Caller;
}

export class Admission {
  readonly #options: AdmissionOptions;
  /** Most connections have one customer: a header like the last one need not be judged from scratch. */
  readonly #lastOn = new WeakMap<Socket, Recognised>();
  /** Where connections come from, where no proxy stands between. */
  readonly #addresses = new WeakMap<Socket, string>();
  readonly #unknown = new UnknownSenders();

  constructor(options: AdmissionOptions) {
    this.#options = options;
  }

  /** `onRecognised` is told of a caller whose request counts, also when it is refused after that. */
  async admit(
    request: FastifyRequest,
    reply: FastifyReply,
    door: Door,
    onRecognised: (caller: Caller) => void,
  ): Promise<Admitted> {
    const address = this.addressOf(request);
    this.#enter(request.raw.socket, reply, address);
    const isOfSession = door.access === 'session' || door.access === 'session-as-key';
    const session = isOfSession ? await this.#signedIn(request, address) : null;
    const caller =
      session === null
        ? await this.#calling(request, address, door, reply, onRecognised)
        : await this.#callingAs(session, request, door, reply, onRecognised);
    if (door.refusal !== undefined) throw door.refusal();
    if (door.isOwnPagesOnly === true) {
      requireOwnOrigin(request.headers.origin, this.#options.portal.origin());
    }
    if (caller !== null) requireRights(caller, address, door.access);
    if (session?.isSuspended === true && door.isClosedToSuspended === true) throw suspended();
    return { caller, session };
  }

  /** Who calls with a key; null where none was recognised and none is needed. */
  async #calling(
    request: FastifyRequest,
    address: string,
    door: Door,
    reply: FastifyReply,
    onRecognised: (caller: Caller) => void,
  ): Promise<Caller | null> {
    const caller =
      this.#recall(request, door.access) ?? (await this.#recognise(request, address, door.access));
    if (caller === null) {
      const { addresses, clock } = this.#options;
      const now = clock.now();
      if (door.isSigned === true) {
        const tooMany = addresses.signedRequest(now, address);
        if (tooMany !== null) requireGrant(tooMany);
        if (!addresses.isSigning(now, address)) this.#hearUnknown(reply, neighbourhood(address));
      } else if (door.isPage === true) requireGrant(addresses.pageRequest(now, address));
      else requireGrant(addresses.publicRequest(now, address));
    } else {
      this.#options.sockets.recognised(request.raw.socket, caller.accountId);
      await this.#count(caller, reply, onRecognised);
    }
    return caller;
  }

  /**
   * The key that who is signed in is seen as; null where that is not asked. Another site's link brings the cookie
   * along, so where it comes from is judged before anything of the account is used up.
   */
  async #callingAs(
    session: Session,
    { headers }: FastifyRequest,
    door: Door,
    reply: FastifyReply,
    onRecognised: (caller: Caller) => void,
  ): Promise<Caller | null> {
    if (door.access !== 'session-as-key') return null;
    const { portal, clock } = this.#options;
    requireOwnPage(headers, portal.origin());
    const caller = await sessionCaller(portal.store, session, clock.now());
    await this.#count(caller, reply, onRecognised);
    return caller;
  }

  async #count(
    caller: Caller,
    reply: FastifyReply,
    onRecognised: (caller: Caller) => void,
  ): Promise<void> {
    const verdict = await this.#take(caller);
    setRateHeaders(reply, verdict);
    requireGrant(verdict);
    onRecognised(caller);
  }

  /** Who is signed in. */
  async #signedIn({ headers, raw }: FastifyRequest, address: string): Promise<Session> {
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
    return session;
  }

  /** What is not known to be signed is read whole before anybody can tell, so few are read at once. */
  #hearUnknown(reply: FastifyReply, from: string): void {
    const leave = this.#unknown.enter(from);
    if (leave === null) throw tooBusy('Too many unknown senders are heard; try again in a moment.');
    reply.raw.once('close', leave);
  }

  /** From here to the end of its answer the request holds its connection's place. */
  #enter(socket: Socket, reply: FastifyReply, address: string): void {
    const { sockets } = this.#options;
    const hasRoom = sockets.request(socket, () => neighbourhood(address));
    reply.raw.once('close', () => sockets.answered(socket));
    if (!hasRoom) throw tooBusy('Too many requests are under way; try again in a moment.');
  }

  #take({ accountId, entitlements }: Caller): Promise<AllowanceVerdict> {
    const { allowances, clock } = this.#options;
    return allowances.take(clock.now(), accountId, entitlements.counted('restPerMinute'));
  }

  /** Where the request comes from. */
  addressOf({ headers, raw: { socket } }: FastifyRequest): string {
    const { trustedProxies } = this.#options;
    if (trustedProxies.length > 0) {
      const forwarded = headers['x-forwarded-for'];
      const claims = Array.isArray(forwarded) ? forwarded.join(',') : forwarded;
      return clientAddress(socket.remoteAddress, claims, trustedProxies);
    }
    let address = this.#addresses.get(socket);
    if (address === undefined) {
      address = clientAddress(socket.remoteAddress, undefined, []);
      this.#addresses.set(socket, address);
    }
    return address;
  }

  #recall({ raw }: FastifyRequest, access: Access): Caller | null {
    if (access === 'public') return null;
    const last = this.#lastOn.get(raw.socket);
    const isSame = last !== undefined && last.authorization === sentAuthorization(raw);
    return isSame && this.#options.authenticator.isCurrent(last.caller) ? last.caller : null;
  }

  async #recognise(
    { raw }: FastifyRequest,
    address: string,
    access: Access,
  ): Promise<Caller | null> {
    if (access === 'public') return null;
    const authorization = sentAuthorization(raw);
    if (access === 'optional' && authorization === undefined) return null;
    const { doorkeeper } = this.#options;
    const result = await doorkeeper.byKey(address, authorization);
    if (result.verdict === 'accepted') {
      const { caller } = result;
      this.#lastOn.set(raw.socket, { authorization: authorization!, caller });
      return caller;
    }
    const { verdict } = result;
    if (verdict === 'busy' || verdict === 'throttled') throw refusedAtDoor(result);
    if (access === 'optional') return null;
    throw unauthorized(verdict);
  }
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
  return tooBusy('Too many keys of your address wait to be looked at; try again in a moment.');
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
  const { limit, remaining, reset, policy } = RATE_HEADERS;
  reply.header(limit, verdict.limit);
  reply.header(remaining, verdict.remaining);
  reply.header(reset, verdict.resetSeconds);
  reply.header(policy, `${verdict.limit};w=${RATE_WINDOW_SECONDS}`);
}

function requireGrant(verdict: AllowanceVerdict): void {
  if (!verdict.granted) throw tooMany('Too many requests in a minute.', verdict);
}

export function tooMany(
  detail: string,
  { retryAfterSeconds }: Pick<AllowanceVerdict, 'retryAfterSeconds'>,
): ProblemError {
  return new ProblemError('RATE_LIMITED', `${detail} Try again in ${retryAfterSeconds} s.`, {
    headers: { 'retry-after': String(retryAfterSeconds) },
  });
}

function tooBusy(detail: string): ProblemError {
  return new ProblemError('CAPACITY', detail, {
    headers: { 'retry-after': String(RETRY_AFTER_BUSY_S) },
  });
}
