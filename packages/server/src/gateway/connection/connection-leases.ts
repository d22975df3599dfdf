/**
 * The leases that one connection holds of its account: the connection, its subscriptions, their custom configurations.
 * Each take and release waits for the earlier ones. So a client that ends one subscription and starts another never
 * meets its own limit, and no lease stays taken after the connection's end.
 */

import type { CountedLimit, Entitlements } from '@tapeloom/core/entitlement/entitlements';
import type { Caller } from '../../accounts/auth/caller.ts';
import type { LeaseKind, Leases } from '../../accounts/limits/leases.ts';
import type { Clock } from '../../platform/clock.ts';
import { SerialQueue } from '../../platform/waiting/serial-queue.ts';
import type { LeaseRefusal } from './connection-events.ts';

export class ConnectionLeases {
  readonly #leases: Leases;
  readonly #clock: Pick<Clock, 'now'>;
  /** Unique among all connections that share the leases. */
  readonly #id: string;
  readonly #onFault: (error: unknown) => void;
  /** Held leases in the order of taking: the connection, then one or two for each subscription. */
  readonly #held: { readonly kind: LeaseKind; readonly holder: string }[] = [];
  #accountId = '';
  #isOver = false;
  readonly #queue = new SerialQueue();

  constructor(
    leases: Leases,
    clock: Pick<Clock, 'now'>,
    id: string,
    onFault: (error: unknown) => void,
  ) {
    this.#leases = leases;
    this.#clock = clock;
    this.#id = id;
    this.#onFault = onFault;
  }

  /** Whether the account may have this connection; rejects when the leases are unavailable. */
  connect({ accountId, entitlements }: Caller): Promise<boolean> {
    this.#accountId = accountId;
    const limit = entitlements.counted('maxConnections');
    return this.#queue.run(() => this.#take('connection', this.#id, this.#id, limit));
  }

  /** Takes a subscription's leases, all or none. A lease that it already holds is not counted twice. */
  async take(
    number: number,
    configuration: string | null,
    entitlements: Entitlements,
  ): Promise<LeaseRefusal | null> {
    const holder = this.#holderOf(number);
    try {
      return await this.#queue.run(async () => {
        const most = entitlements.counted('maxSubscriptions');
        if (!(await this.#take('subscription', holder, holder, most))) return 'subscription';
        if (configuration === null) return null;
        const mostCustom = entitlements.counted('maxCustomConfigs');
        if (await this.#take('configuration', holder, configuration, mostCustom)) return null;
        await this.#release('subscription', holder);
        return 'configuration';
      });
    } catch (error) {
      this.#onFault(error);
      this.release(number, 'all');
      return 'fault';
    }
  }

  release(number: number, what: 'all' | 'configuration'): void {
    const holder = this.#holderOf(number);
    this.#queue
      .run(async () => {
        await this.#release('configuration', holder);
        if (what === 'all') await this.#release('subscription', holder);
      })
      .catch(this.#onFault);
  }

  /** Resolves when all takes and releases requested so far are done. */
  async settled(): Promise<void> {
    await this.#queue.idle;
  }

  /** The connection is gone: releases everything. */
  end(): void {
    this.#isOver = true;
    this.#queue
      .run(async () => {
        for (const { kind, holder } of this.#held.toReversed()) {
          await this.#release(kind, holder);
        }
      })
      .catch(this.#onFault);
  }

  async #take(
    kind: LeaseKind,
    holder: string,
    thing: string,
    limit: CountedLimit,
  ): Promise<boolean> {
    if (this.#isOver) return false;
    const request = { accountId: this.#accountId, kind, holder, thing, ...limit };
    const isTaken = await this.#leases.take(this.#clock.now(), request);
    if (isTaken && this.#indexOf(kind, holder) < 0) this.#held.push({ kind, holder });
    return isTaken;
  }

  async #release(kind: LeaseKind, holder: string): Promise<void> {
    const index = this.#indexOf(kind, holder);
    if (index < 0) return;
    this.#held.splice(index, 1);
    await this.#leases.release(this.#accountId, kind, holder);
  }

  #indexOf(kind: LeaseKind, holder: string): number {
    return this.#held.findIndex((held) => held.kind === kind && held.holder === holder);
  }

  #holderOf(number: number): string {
    return `${this.#id}.${number}`;
  }
}
