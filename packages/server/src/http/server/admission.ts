/**
 * The one place where requests are admitted, for every path, known or not. The order of the checks: caller (401, or 429
 * after too many failures from an address), allowance (429), existence (404, 405), rights (403). Only then a route
 * reads body and query. Once a key is recognised its request counts, and every response carries the rate-limit headers.
 * Requests without a key are limited by address and carry none. A portal session is known by its cookie, has a limit of
 * its own, and changes something only from the portal's own pages.
 */

import type { Socket } from 'node:net';
import type { CountedLimit } from '@tapeloom/core/entitlement/entitlements';
import type { IpRange } from '@tapeloom/core/entitlement/ip-range';
import { waitText } from '@tapeloom/core/person/wait-text';
import type { AllowanceVerdict } from '@tapeloom/core/quota/allowance';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type AddressThrottle, neighbourhood } from '../../accounts/auth/address-throttle.ts';
import type { AuthRefusal, AuthThrottle, AuthVerdict } from '../../accounts/auth/auth-throttle.ts';
import { type Authenticator, sentAuthorization } from '../../accounts/auth/authenticator.ts';
import type { Caller } from '../../accounts/auth/caller.ts';
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
  readonly authThrottle: AuthThrottle;
  readonly allowances: Allowances;
  readonly addresses: AddressThrottle;
  /** The clock of accounts. */
  readonly clock: Clock;
  /** Proxies whose `X-Forwarded-For` is believed. */
  readonly trustedProxies: () => readonly IpRange[];
  readonly sockets: DoorSockets;
  readonly portal: PortalDoor;
}

/** Portal sessions, and the origin they belong to. */
export interface PortalDoor {
  readonly sessions: Pick<SessionKeeper, 'recall' | 'find'>;
  readonly store: Pick<AccountStore, 'findAccount'>;
  /** The public origin of the service. */
  origin(): string;
}

/** The admitted caller and session; both null where no authentication is needed. */
export interface Admitted {
  readonly caller: Caller | null;
  readonly session: Session | null;
}

const NOBODY: Admitted = { caller: null, session: null };
const RETRY_AFTER_BUSY_S = 1;
export const SESSION_REQUESTS_PER_MINUTE: CountedLimit = { limit: 300, testLimit: null };

/** How a route or page admits requests. */
export interface Door {
  readonly access: Access;
  /** A page: a browser requests many at once. */
  readonly isPage?: true;
  /** Only the portal's own pages may request it. */
  readonly isOwnPagesOnly?: boolean;
  /** Not for sessions of a suspended account: these may only read, end subscriptions and leave. */
  readonly isClosedToSuspended?: boolean;
  /** A signature identifies the sender. Only an address with too many failed signatures is rejected. */
  readonly isSigned?: boolean;
  /** Why there is nothing here: an unknown path or method. */
  readonly refusal?: () => ProblemError;
}

/** Key of a connection's `Known`, stored on the socket itself to avoid a lookup. */
const KNOWN = Symbol('known');

/** Cached facts of a connection: most connections have one address and one account. */
interface Known {
  /** The peer's address, for use when no proxy is trusted. */
  readonly address: string;
  /** The `Authorization` of its last request with a valid key, which saves a full check; null before the first. */
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

  /** Sets `countsFor` to a caller whose request counts, even if the request is rejected afterwards. */
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

  /** The caller of a key; `NOBODY` where no key was recognised and none is needed. */
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

  /** Limits a request without a key by its address. */
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
   * The session and, for `session-as-key`, the key it acts as. The cookie also comes with requests from links of other
   * sites, so the origin is checked before anything of the account is used up.
   */
  async #signedIn(
    request: FastifyRequest,
    reply: FastifyReply,
    door: Door,
    address: string,
  ): Promise<Admitted> {
    const { headers, raw } = request;
    const { portal, authThrottle, allowances, clock, sockets } = this.#options;
    const text = readSessionCookie(headers.cookie, portal.origin());
    const judged = await authThrottle.judge(address, portal.sessions.recall(text), () =>
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

  /** A body must be read whole before its signature can be checked, so few unknown senders are read at once. */
  #hearUnknown(reply: FastifyReply, from: string): void {
    const leave = this.#unknown.enter(from);
    if (leave === null)
      throw tooBusy('Too many unauthenticated clients at once; try again in a moment.');
    reply.raw.once('close', leave);
  }

  /** From here to the end of its response the request holds its connection's slot. */
  #enter(socket: Socket, reply: FastifyReply, address: string): void {
    const { sockets } = this.#options;
    const hasRoom = sockets.request(socket, () => neighbourhood(address));
    reply.raw.on('close', () => sockets.answered(socket));
    if (!hasRoom) throw tooBusy('Too many requests are under way; try again in a moment.');
  }

  addressOf({ raw: { headers, socket } }: FastifyRequest): string {
    const trustedProxies = this.#options.trustedProxies();
    if (trustedProxies.length === 0) return knownOf(socket).address;
    const forwarded = headers['x-forwarded-for'];
    const claims = Array.isArray(forwarded) ? forwarded.join(',') : forwarded;
    return clientAddress(socket.remoteAddress, claims, trustedProxies);
  }

  /** The caller of the sent key; null where none was sent and none is needed. */
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
    if (verdict === 'busy' || verdict === 'throttled') throw refusedByThrottle(result);
    if (access === 'optional') return null;
    throw unauthorized(verdict);
  }

  /** Null when the accounts are unavailable and no authentication is needed. */
  async #look(
    address: string,
    authorization: string | undefined,
    access: Access,
  ): Promise<AuthVerdict | null> {
    try {
      return await this.#options.authThrottle.byKey(address, authorization);
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
  judged: Exclude<SessionVerdict, { readonly verdict: 'accepted' }> | AuthRefusal,
): ProblemError {
  if (judged.verdict === 'busy' || judged.verdict === 'throttled') return refusedByThrottle(judged);
  return notSignedIn(
    judged.verdict === 'missing'
      ? 'Sign in to the portal first.'
      : 'Your session has ended; sign in again.',
  );
}

/** The error for a client that is not checked now, or that failed too often. */
export function refusedByThrottle(refusal: AuthRefusal): ProblemError {
  if (refusal.verdict === 'throttled') {
    return tooMany('Too many failed authentications from your address.', refusal);
  }
  return tooBusy(
    'Too many keys from your address are waiting to be checked; try again in a moment.',
  );
}

function requireRights(caller: Caller, address: string, access: Access): void {
  // Public resources stay readable whatever key was sent.
  if (access === 'public' || access === 'optional' || access === 'session') return;
  if (caller.isSuspended) throw suspended();
  if (!caller.entitlements.allowsAddress(address)) {
    throw new ProblemError('FORBIDDEN', 'The key may not be used from your IP address.');
  }
  // The routes of sessions define their rights.
  if (access === 'key' || access === 'session-as-key') return;
  if (!caller.entitlements.hasScope(access.scope)) {
    throw new ProblemError('FORBIDDEN', `The key needs the scope ${access.scope}.`);
  }
}

function suspended(): ProblemError {
  return new ProblemError('FORBIDDEN', 'The account is suspended.');
}

function setRateHeaders(reply: FastifyReply, verdict: AllowanceVerdict): void {
  // Lower-case, as they are sent in the end.
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
