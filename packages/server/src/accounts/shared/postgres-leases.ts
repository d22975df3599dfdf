/**
 * Leases that all nodes of a cluster count together. The database judges takes one after the other for an account and a
 * kind, so takers on many nodes never exceed a limit. A lease belongs to its node and lives while that node sends beats
 * (`node-register.ts`). This object knows the leases of this node, in the order in which they were taken.
 */

import type { EpochNs } from '@tapeloom/core/numbers';
import { SECOND_NS_BIG } from '@tapeloom/core/units';
import type { Postgres } from '../../platform/postgres/postgres.ts';
import type { HeldLease, LeaseKind, LeaseRequest, Leases } from '../limits/leases.ts';
import { AccountsTroubleError, AccountsUnavailableError } from '../store/account-store.ts';

/** Accounts whose leases are taken again concurrently. */
const ACCOUNTS_AT_ONCE = 8;
/** Late releases in one statement. */
const RELEASED_AT_ONCE = 1_000;
/**
 * How long a statement without a response may still run; its own limit is shorter (`platform/postgres/postgres.ts`).
 */
const DONE_WITHIN_NS = 10n * SECOND_NS_BIG;

/**
 * A lease to release with the next renewal; until then it counts as held. A failed release is repeated until it
 * succeeds. A take with an unknown outcome is released repeatedly until `until`: the database may still perform it.
 */
interface LateLease {
  readonly lease: HeldLease;
  readonly until: bigint;
}

export interface PostgresLeasesOptions {
  readonly postgres: Pick<Postgres, 'query'>;
  readonly node: { readonly id: string; readonly run: string };
  /** Why nothing may be taken now; null when it may. */
  readonly cannotTakeBecause?: () => string | null;
  /** `callers` is for tests: nodes count by the database's clock. */
  readonly time?: 'database' | 'callers';
}

export class PostgresLeases implements Leases {
  readonly #options: PostgresLeasesOptions;
  /** By name, in the order in which they were first taken. */
  readonly #held = new Map<string, LeaseRequest>();
  /** How many leases are held, by account and kind. */
  readonly #places = new Map<string, number>();
  /** Leases to release, by name. */
  readonly #late = new Map<string, LateLease>();
  /** Takes in progress. */
  readonly #asked = new Set<LeaseRequest>();
  readonly #hearers = new Set<(lost: HeldLease) => void>();
  #releasing: Promise<void> | null = null;
  /** Leases held until this time, by the database's clock, may have been taken by others. */
  #lostUntil: EpochNs | null = null;
  #renewing: Promise<void> | null = null;

  constructor(options: PostgresLeasesOptions) {
    this.#options = options;
  }

  async take(now: EpochNs, request: LeaseRequest): Promise<boolean> {
    const why = this.#options.cannotTakeBecause?.() ?? null;
    if (why !== null) throw new AccountsUnavailableError(why);
    const name = nameOf(request);
    this.#late.delete(name);
    this.#asked.add(request);
    try {
      await this.#releasing;
      const isTaken = await this.#ask(now, request);
      if (isTaken) this.#hold(name, request);
      return isTaken;
    } catch (error) {
      if (!this.#held.has(name)) {
        this.#late.set(name, { lease: request, until: now + DONE_WITHIN_NS });
      }
      throw error;
    } finally {
      this.#asked.delete(request);
    }
  }

  async release(accountId: string, kind: LeaseKind, holder: string): Promise<void> {
    const lease = { accountId, kind, holder };
    const name = nameOf(lease);
    this.#drop(name);
    const late = { lease, until: 0n };
    this.#late.set(name, late);
    try {
      await this.#releaseAll([lease]);
      if (this.#late.get(name) === late) this.#late.delete(name);
    } catch {
      // The release is late from now on; the account store reports the failure.
    }
  }

  /** One renewal at a time: concurrent callers share it. */
  renew(now: EpochNs): Promise<void> {
    this.#renewing ??= this.#renew(now).finally(() => {
      this.#renewing = null;
    });
    return this.#renewing;
  }

  async count(
    now: EpochNs,
    accountId: string,
    kind: LeaseKind,
    by: 'all' | 'tests' = 'all',
  ): Promise<number> {
    const [row] = await this.#query<{ count: bigint }>(
      `select count(distinct thing) as count from tapeloom_leases($1, $2, $3)
        where by_test or $4`,
      [this.#time(now), accountId, kind, by === 'all'],
    );
    return Number(row!.count);
  }

  onLost(hear: (lost: HeldLease) => void): Disposable {
    this.#hearers.add(hear);
    return { [Symbol.dispose]: () => void this.#hearers.delete(hear) };
  }

  get size(): number {
    return this.#places.size;
  }

  get heldCount(): number {
    return this.#held.size;
  }

  /**
   * Others may have taken leases held here: the next renewal takes all again, the oldest of each account first; those
   * that no longer fit are lost. Before that it releases leases that only the database has for this node. A restored
   * database has such leases, and they would block others while the node lives.
   */
  mayBeLost(databaseNow: EpochNs): void {
    this.#lostUntil = databaseNow;
  }

  async #renew(now: EpochNs): Promise<void> {
    await this.#releaseLate(now);
    if (this.#lostUntil !== null) await this.#takeAllAgain(now, this.#lostUntil);
    if (this.#options.time !== 'callers') return;
    const { postgres, node } = this.#options;
    await postgres.query('select tapeloom_renew($1, $2, $3, null)', [now, node.id, node.run]);
  }

  async #takeAllAgain(now: EpochNs, lostUntil: EpochNs): Promise<void> {
    this.#lostUntil = null;
    try {
      await this.#releaseOthers(lostUntil);
      await this.#takeHeld(now);
    } catch (error) {
      this.#lostUntil ??= lostUntil;
      throw error;
    }
  }

  /** Such leases are rare, but this node may hold very many others. */
  async #releaseOthers(takenUntil: EpochNs): Promise<void> {
    const known = await this.#query<HeldLease>(
      `select account_id as "accountId", kind, holder from leases
        where node_id = $1 and taken_at <= $2`,
      [this.#options.node.id, takenUntil],
    );
    for (let from = 0; from < known.length; from += RELEASED_AT_ONCE) {
      // A take in progress may be recorded already although its response is not here.
      const asked = new Set([...this.#asked].map(nameOf));
      const others = known
        .slice(from, from + RELEASED_AT_ONCE)
        .filter((lease) => !this.#held.has(nameOf(lease)) && !asked.has(nameOf(lease)));
      if (others.length > 0) await this.#releaseFirst(others);
    }
  }

  async #takeHeld(now: EpochNs): Promise<void> {
    const accounts = Map.groupBy(this.#held, ([, { accountId }]) => accountId).values();
    const takers = Array.from({ length: ACCOUNTS_AT_ONCE }, async () => {
      for (const held of accounts) {
        for (const [name, request] of held) await this.#takeOneAgain(now, name, request);
      }
    });
    await Promise.all(takers);
  }

  async #takeOneAgain(now: EpochNs, name: string, request: LeaseRequest): Promise<void> {
    // A lease that was released or changed meanwhile has been judged again.
    if (this.#held.get(name) !== request) return;
    if (await this.#ask(now, request)) {
      if (!this.#held.has(name))
        await this.release(request.accountId, request.kind, request.holder);
      return;
    }
    if (this.#held.get(name) !== request) return;
    this.#drop(name);
    for (const hear of this.#hearers) hear(request);
  }

  async #ask(now: EpochNs, request: LeaseRequest): Promise<boolean> {
    const { node } = this.#options;
    const { accountId, kind, holder, thing, limit, testLimit } = request;
    const [row] = await this.#query<{ taken: boolean | null }>(
      {
        name: 'take-lease',
        text: 'select tapeloom_take_lease($1, $2, $3, $4, $5, $6, $7, $8, $9) as taken',
      },
      [this.#time(now), node.id, node.run, accountId, kind, holder, thing, limit, testLimit],
    );
    if (row!.taken === null) {
      throw new AccountsUnavailableError('another process has taken over as this node');
    }
    return row!.taken;
  }

  async #releaseLate(now: EpochNs): Promise<void> {
    const all = [...this.#late];
    for (let from = 0; from < all.length; from += RELEASED_AT_ONCE) {
      // A lease may have been taken again meanwhile.
      const late = all
        .slice(from, from + RELEASED_AT_ONCE)
        .filter(([name, it]) => this.#late.get(name) === it);
      await this.#releaseFirst(late.map(([, { lease }]) => lease));
      for (const [name, it] of late) {
        if (it.until <= now && this.#late.get(name) === it) this.#late.delete(name);
      }
    }
  }

  /** Takes wait until this is done. */
  async #releaseFirst(leases: readonly HeldLease[]): Promise<void> {
    this.#releasing = this.#releaseAll(leases).finally(() => {
      this.#releasing = null;
    });
    await this.#releasing;
  }

  async #releaseAll(leases: readonly HeldLease[]): Promise<void> {
    const { id } = this.#options.node;
    await this.#query(
      `delete from leases using unnest($2::text[], $3::text[], $4::text[]) as it(account, kind, holder)
        where leases.node_id = $1 and leases.account_id = it.account and leases.kind = it.kind
          and leases.holder = it.holder`,
      [id, ...columnsOf(leases)],
    );
  }

  #hold(name: string, request: LeaseRequest): void {
    const place = placeOf(request);
    if (!this.#held.has(name)) this.#places.set(place, (this.#places.get(place) ?? 0) + 1);
    this.#held.set(name, request);
  }

  #drop(name: string): void {
    const request = this.#held.get(name);
    if (request === undefined) return;
    this.#held.delete(name);
    const place = placeOf(request);
    const others = this.#places.get(place)! - 1;
    if (others === 0) this.#places.delete(place);
    else this.#places.set(place, others);
  }

  #time(now: EpochNs): EpochNs | null {
    return this.#options.time === 'callers' ? now : null;
  }

  async #query<Row>(...query: Parameters<Postgres['query']>): Promise<Row[]> {
    try {
      return await this.#options.postgres.query<Row>(...query);
    } catch (error) {
      throw new AccountsTroubleError(
        'unreachable',
        'open connections and subscriptions could not be counted',
        {
          cause: error,
        },
      );
    }
  }
}

/** Neither a kind nor a holder has a space, so the second one ends them. */
function nameOf({ accountId, kind, holder }: HeldLease): string {
  return `${kind} ${holder} ${accountId}`;
}

function columnsOf(leases: readonly HeldLease[]): readonly (readonly string[])[] {
  return (['accountId', 'kind', 'holder'] as const).map((field) => leases.map((it) => it[field]));
}

function placeOf({ accountId, kind }: HeldLease): string {
  return `${kind} ${accountId}`;
}
