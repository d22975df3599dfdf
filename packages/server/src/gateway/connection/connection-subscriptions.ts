/**
 * The subscriptions of one connection, as a part of its state machine. A subscription's leases are taken before it
 * starts and released when it ends. A subscription that fails ends alone.
 */

import type { CountedField, Entitlements } from '@tapeloom/core/entitlement/entitlements';
import { parseInstant } from '@tapeloom/core/instant-text';
import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import { DAY_NS_BIG, SECOND_NS_BIG } from '@tapeloom/core/units';
import { dayOf, epochNs } from '@tapeloom/core/utc-day';
import type { SubscribeMessage } from '@tapeloom/protocol/client-messages';
import type { ResetReason, ServerMessage } from '@tapeloom/protocol/server-messages';
import type { ResolveStream, StreamRequest } from '../delivery/stream-request.ts';
import { type ErrorReply, invalid } from '../wire/client-message.ts';
import type { ConnectionAction, ConnectionEvent, LeaseRefusal } from './connection-events.ts';
import type { Moment } from './moment.ts';

/** How long before a planned roll it is announced. */
export const ROLL_NOTICE_NS = DAY_NS_BIG;

type Actions = readonly ConnectionAction[];
type TapeDay = Extract<ConnectionEvent, { t: 'tape-day' }>;

const NOTHING: Actions = [];
/** Shared by connections without subscriptions; must stay empty. */
const NO_SUBSCRIPTIONS = new Map<string, Subscription>();
const NONE_ANNOUNCED = new Set<string>();

interface Subscription {
  /** Unique among all connections, also when a name is used again. Later subscriptions have higher numbers. */
  readonly number: number;
  request: StreamRequest;
  /** `subscribed` was sent. */
  isBegun: boolean;
  /** It has left its topic and waits until all other moving subscriptions have. */
  isMoving: boolean;
}

/** The leases that a subscription holds of its account. */
export interface SubscriptionHolding {
  readonly number: number;
  readonly configuration: string | null;
}

export interface ConnectionRules {
  readonly resolve: ResolveStream;
  /** Numbers that ascend over all connections. */
  readonly nextNumber: () => number;
}

/**
 * A subscription moves when its name means another contract, or when its delay changes. First all moving subscriptions
 * leave their topics, send a `reset` and release their configurations. When all connections have done so, each takes
 * its leases under its new meaning. So a move is never rejected because of its own old configuration. A client that has
 * not received `subscribed` yet gets no `reset`: its subscription starts where it requested to.
 */
export class ConnectionSubscriptions {
  readonly #rules: ConnectionRules;
  #byName = NO_SUBSCRIPTIONS;
  /** Rolls and deprecations that were announced. */
  #announced = NONE_ANNOUNCED;

  constructor(rules: ConnectionRules) {
    this.#rules = rules;
  }

  get holdings(): readonly SubscriptionHolding[] {
    return Array.from(this.#byName.values(), ({ number, request }) => {
      return { number, configuration: request.configuration };
    });
  }

  clear(): void {
    this.#byName.clear();
  }

  /** Requests the subscription's leases, or returns the error. */
  subscribe(
    message: SubscribeMessage,
    entitlements: Entitlements,
    { now, tapeTimeOf }: Moment,
  ): ConnectionAction {
    const { sub } = message;
    if (this.#byName.has(sub)) {
      const fault = { path: '/sub', message: 'Is already in use on this connection.' };
      return sendError({ sub, ...invalid([fault]) });
    }
    const day = delayedDay(tapeTimeOf(message.instrument), entitlements);
    const request = this.#rules.resolve(message, { day, now, entitlements });
    if ('code' in request) return sendError({ sub, ...request });
    const number = this.#rules.nextNumber();
    if (this.#byName === NO_SUBSCRIPTIONS) this.#byName = new Map();
    this.#byName.set(sub, { number, request, isBegun: false, isMoving: false });
    return lease(number, request, entitlements);
  }

  leased(number: number, refused: LeaseRefusal | null, entitlements: Entitlements): Actions {
    const found = this.#find(number);
    if (found === null) return NOTHING;
    const [sub, { request, isMoving }] = found;
    if (refused !== null) {
      this.#byName.delete(sub);
      return [sendError({ sub, ...refusal(refused, entitlements) })];
    }
    return isMoving ? NOTHING : [{ t: 'subscribe', sub, number, request }];
  }

  /** Whether this subscription exists and no subscription of the connection has begun. */
  awaitsOnly(number: number): boolean {
    return this.#find(number) !== null && !this.#byName.values().some(({ isBegun }) => isBegun);
  }

  unsubscribe(sub: string): Actions {
    const subscription = this.#byName.get(sub);
    if (subscription !== undefined) return this.#end(sub, subscription);
    const fault = { path: '/sub', message: 'Is not a subscription of this connection.' };
    return [sendError({ sub, ...invalid([fault]) })];
  }

  begun(sub: string, now: EpochNs): Actions {
    const subscription = this.#byName.get(sub);
    if (subscription === undefined) return NOTHING;
    subscription.isBegun = true;
    return [...this.#announceRoll(subscription, now), ...this.#announceEnd(subscription)];
  }

  ended(sub: string, reply: Omit<ErrorReply, 'sub'>): Actions {
    const subscription = this.#byName.get(sub);
    if (subscription === undefined) return NOTHING;
    return [...this.#end(sub, subscription), sendError({ sub, ...reply })];
  }

  /** Ends the subscriptions that exceed the account's limits. */
  endBeyond(
    beyond: ReadonlyMap<number, Exclude<LeaseRefusal, 'fault'>>,
    entitlements: Entitlements,
  ): Actions {
    return [...this.#byName].flatMap(([sub, { number }]) => {
      const what = beyond.get(number);
      return what === undefined ? NOTHING : this.ended(sub, refusal(what, entitlements));
    });
  }

  /** Judges rights again with the day's meaning of every name, whether it rolls or not. */
  enterDay({ delaySeconds, ...moment }: TapeDay, entitlements: Entitlements): Actions {
    // A subscription whose delay has changed is about to move. It must not follow its topic into this day.
    const isDelaySame = entitlements.limits.delaySeconds === delaySeconds;
    const reason = isDelaySame ? 'roll' : 'entitlement_changed';
    return [...this.#byName].flatMap(([sub, subscription]) => {
      if (subscription.request.spec.delaySeconds !== delaySeconds) return NOTHING;
      return this.#judge(sub, subscription, { ...moment, entitlements }, reason);
    });
  }

  /** Judges rights again because they have changed. */
  judgeAgain(entitlements: Entitlements, moment: Moment): Actions {
    return [...this.#byName].flatMap(([sub, subscription]) =>
      this.#judge(sub, subscription, { ...moment, entitlements }, 'entitlement_changed'),
    );
  }

  /** Requests the leases of moved subscriptions under their new meaning. */
  moveOn(entitlements: Entitlements): Actions {
    const actions: ConnectionAction[] = [];
    for (const subscription of this.#byName.values()) {
      if (!subscription.isMoving) continue;
      subscription.isMoving = false;
      actions.push(lease(subscription.number, subscription.request, entitlements));
    }
    return actions;
  }

  announceRolls(now: EpochNs): Actions {
    return [...this.#byName.values()].flatMap((subscription) =>
      subscription.isBegun ? this.#announceRoll(subscription, now) : NOTHING,
    );
  }

  #judge(
    sub: string,
    subscription: Subscription,
    { now, tapeTimeOf, entitlements }: Moment & { readonly entitlements: Entitlements },
    reason: ResetReason,
  ): Actions {
    const { request, isBegun, number } = subscription;
    const day = delayedDay(tapeTimeOf(request.message.instrument), entitlements);
    const next = this.#rules.resolve(request.message, { day, now, entitlements });
    if ('code' in next) return this.ended(sub, next);
    const start = isBegun ? ({ t: 'live' } as const) : request.start;
    const isSame =
      next.spec.contract === request.spec.contract &&
      next.meansSince === request.meansSince &&
      next.spec.delaySeconds === request.spec.delaySeconds;
    const isMoved = request.isMoved || !isSame;
    subscription.request = { ...next, start: isSame ? request.start : start, isMoved };
    if (isSame) return NOTHING;
    subscription.isBegun = false;
    subscription.isMoving = true;
    const reset: Actions = isBegun ? [send({ t: 'reset', sub, reason })] : NOTHING;
    const release = { t: 'release', number, what: 'configuration' } as const;
    return [{ t: 'unsubscribe', sub }, ...reset, release];
  }

  #announceRoll({ request }: Subscription, now: EpochNs): Actions {
    const { message, rollsOn, spec } = request;
    if (rollsOn === null) return NOTHING;
    const effectiveAt = epochNs(rollsOn, 0) + BigInt(spec.delaySeconds) * SECOND_NS_BIG;
    if (now < effectiveAt - ROLL_NOTICE_NS) return NOTHING;
    const { instrument } = message;
    if (!this.#isFirst(`${instrument} ${rollsOn}`)) return NOTHING;
    return [send({ t: 'notice', kind: 'roll', effectiveAt: `${effectiveAt}`, instrument })];
  }

  /** Announces the end of a deprecated indicator. */
  #announceEnd({ request: { removedOn, spec } }: Subscription): Actions {
    const { indicator } = spec;
    if (removedOn === undefined || !this.#isFirst(indicator)) return NOTHING;
    const effectiveAt = `${parseInstant(removedOn)}`;
    return [send({ t: 'notice', kind: 'deprecation', effectiveAt, indicator })];
  }

  /** Whether this was not announced before; marks it as announced. */
  #isFirst(what: string): boolean {
    if (this.#announced.has(what)) return false;
    if (this.#announced === NONE_ANNOUNCED) this.#announced = new Set();
    this.#announced.add(what);
    return true;
  }

  #end(sub: string, { number }: Subscription): Actions {
    this.#byName.delete(sub);
    return [
      { t: 'unsubscribe', sub },
      { t: 'release', number, what: 'all' },
    ];
  }

  #find(number: number): readonly [string, Subscription] | null {
    return this.#byName.entries().find(([, it]) => it.number === number) ?? null;
  }
}

function lease(
  number: number,
  { configuration }: StreamRequest,
  entitlements: Entitlements,
): ConnectionAction {
  return { t: 'lease', number, configuration, entitlements };
}

function refusal(refused: LeaseRefusal, entitlements: Entitlements): Omit<ErrorReply, 'sub'> {
  switch (refused) {
    case 'subscription':
      return tooMany(entitlements, 'maxSubscriptions', 'subscription');
    case 'configuration':
      return tooMany(entitlements, 'maxCustomConfigs', 'custom configuration');
    case 'fault':
      return {
        code: 'CAPACITY',
        message: 'Could not check your subscription limit. Retry in a few seconds.',
      };
    default:
      return refused satisfies never;
  }
}

function tooMany(entitlements: Entitlements, field: CountedField, what: string) {
  const { limit, testLimit } = entitlements.counted(field);
  const count = (most: number | null) => `${most} ${what}${most === 1 ? '' : 's'}`;
  const ofTests = testLimit === null ? '' : `, at most ${count(testLimit)} of them with test keys`;
  const message = `The account may have ${count(limit)} at a time across all its keys${ofTests}.`;
  return { code: 'QUOTA_EXCEEDED', message } as const;
}

function send(message: ServerMessage): ConnectionAction {
  return { t: 'send', message };
}

function sendError(reply: ErrorReply): ConnectionAction {
  return send({ t: 'error', ...reply });
}

/** The day of tape time as the account may see it. */
function delayedDay(tapeTime: EpochNs, { delayNs }: Entitlements): UtcDay {
  return dayOf((tapeTime - delayNs) as EpochNs);
}
