/**
 * One node in the register of its cluster. It joins before it serves, sends a beat every second, and leaves after
 * closing its last socket. Each beat returns the known nodes, a request to leave, and the clock's offset from the
 * database's, which all nodes count by. A node without a beat for 90 s no longer counts; see `NodeEvents` and
 * `cannotTakeBecause`.
 */

import type { EpochNs } from '@tapeloom/core/numbers';
import { SECOND_NS_BIG } from '@tapeloom/core/units';
import type { Clock } from '../../platform/clock.ts';
import type { Log } from '../../platform/log/log.ts';
import type { Postgres } from '../../platform/postgres/postgres.ts';
import { sleep } from '../../platform/waiting/sleep.ts';
import { type KnownNode, knownNodes, type NodeReport } from './known-nodes.ts';

const BEAT_EVERY_MS = 1_000;
/** An older process without a beat for this long counts as gone. */
const HEARD_WITHIN_NS = 3n * SECOND_NS_BIG;
const JOIN_AGAIN_MS = 500;
/** Without a beat for this long, nothing new is taken for accounts. */
const KNOWN_FOR_NS = 10n * SECOND_NS_BIG;
const OFFSET_WARNED_NS = SECOND_NS_BIG / 2n;
const OFFSET_REFUSED_NS = 5n * SECOND_NS_BIG;
/** How often a wrong clock is logged. */
const OFFSET_WARNED_EVERY_NS = 60n * SECOND_NS_BIG;

/** For the operator to resolve; the message is complete. */
export class NodeTwiceError extends Error {}

export interface NodeFacts {
  readonly id: string;
  readonly name: string;
  readonly roles: readonly string[];
  readonly program: string;
  readonly computations: Readonly<Record<string, string>>;
}

export interface NodeRegisterOptions {
  readonly postgres: Pick<Postgres, 'query'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly node: NodeFacts;
  /** Unique for each process. */
  readonly run: string;
}

export interface NodeEvents {
  /**
   * The node had no beat for 90 s, or the database is older: others may have its leases. The node must take them again,
   * and end what no longer fits. Other leases taken up to this time, by the database's clock, are invalid.
   */
  over(databaseNow: EpochNs): void;
  /**
   * The database may lack its latest changes: it restarted, was restored from a backup, or a standby took over. Each
   * beat returns when the beat before it was recorded; an older time than expected reveals the loss.
   */
  older(): void;
  /** The node was requested to leave. */
  drain(): void;
  /** Another process has taken over its identity: a copied directory started while this node was silent. It ends. */
  displaced(): void;
  looked(nodes: readonly KnownNode[]): void;
}

export class NodeRegister implements AsyncDisposable {
  /** The report that it sends with every beat. */
  report: () => NodeReport = () => ({});
  readonly #options: NodeRegisterOptions;
  #events: NodeEvents | null = null;
  #nodes: readonly KnownNode[] = [];
  #timer: Disposable | null = null;
  #beating: Promise<void> | null = null;
  #heardAt: EpochNs;
  #offsetNs = 0n;
  #offsetWarnedAt: bigint | null = null;
  #databaseStarted: bigint | null = null;
  /** When the database recorded the last beat that we know of, by its own clock. */
  #beatAt: bigint | null = null;
  /** What a beat revealed and no event has reported yet. */
  #isOlder = false;
  #wasOver = false;
  #drains = false;
  #isDisplaced = false;

  private constructor(options: NodeRegisterOptions) {
    this.#options = options;
    this.#heardAt = options.clock.now();
  }

  /** Rejects with `NodeTwiceError` when a process with the same identity runs. */
  static async join(options: NodeRegisterOptions): Promise<NodeRegister> {
    const first = await tryToJoin(options);
    for (let other = first; other !== null; other = await tryToJoin(options)) {
      if (other.renewed_at !== first!.renewed_at) throw twice(options.node, other.name);
      await sleep(options.clock, JOIN_AGAIN_MS);
    }
    const register = new NodeRegister(options);
    await register.#beatOnce();
    return register;
  }

  start(events: NodeEvents): void {
    this.#events = events;
    this.#timer = this.#options.clock.every(BEAT_EVERY_MS, () => void this.beat());
  }

  get id(): string {
    return this.#options.node.id;
  }

  get run(): string {
    return this.#options.run;
  }

  /** All known nodes, this one included. */
  get nodes(): readonly KnownNode[] {
    return this.#nodes;
  }

  /** When the last successful beat was sent, by our clock. */
  get heardAt(): EpochNs {
    return this.#heardAt;
  }

  /** How far the database's clock is ahead of ours. */
  get offsetNs(): bigint {
    return this.#offsetNs;
  }

  /** Why nothing new may be taken for accounts; null when it may. Without beats its view of the others is too old. */
  get cannotTakeBecause(): string | null {
    if (this.#isDisplaced) return 'another process has taken over as this node';
    if (this.#options.clock.now() - this.#heardAt > KNOWN_FOR_NS) {
      return 'the register of nodes cannot be reached';
    }
    const isWrong = magnitude(this.#offsetNs) >= OFFSET_REFUSED_NS;
    return isWrong ? 'the clock of this node is wrong' : null;
  }

  /** Resolves when every other live node has sent a beat since this one joined, or after 10 s. */
  async seenByAll(): Promise<void> {
    const { clock, node } = this.#options;
    const until = clock.now() + KNOWN_FOR_NS;
    for (;;) {
      const since = this.#nodes.find(({ id }) => id === node.id)?.startedAt;
      const unseen = this.#nodes.filter(
        (it) => it.id !== node.id && it.isAlive && (since === undefined || it.renewedAt <= since),
      );
      if (unseen.length === 0 || clock.now() >= until) return;
      await sleep(clock, JOIN_AGAIN_MS);
      await this.beat();
    }
  }

  /** A failed beat is sent again at the next interval. */
  beat(): Promise<void> {
    this.#beating ??= this.#beatOnce()
      .catch((error: unknown) =>
        this.#options.log.debug({ error }, 'the heartbeat of this node failed; it is sent again'),
      )
      .finally(() => {
        this.#beating = null;
      });
    return this.#beating;
  }

  /** Leaves and releases everything, so that no other node has to wait for this one. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#timer?.[Symbol.dispose]();
    await this.#beating;
    const { postgres, node, run, log } = this.#options;
    await postgres
      .query('select tapeloom_leave($1, $2)', [node.id, run])
      .catch((error: unknown) => {
        log.warn({ error }, 'this node could not leave the register; its entry expires in 90 s');
      });
  }

  async #beatOnce(): Promise<void> {
    const { postgres, clock, node, run } = this.#options;
    const sentAt = clock.now();
    const report = JSON.stringify({ ...this.report(), offsetMs: ms(this.#offsetNs) });
    const [renewed] = await postgres.query<Renewed>({ name: 'renew', text: RENEW }, [
      node.id,
      run,
      report,
    ]);
    const heardAt = clock.now();
    if (renewed === undefined) {
      this.#displace();
      return;
    }
    this.#measure(sentAt, heardAt, renewed.database_now);
    // The next beat no longer sees it: if the query below fails, it is handled then.
    this.#isOlder ||= this.#looksOlder(renewed);
    this.#wasOver ||= renewed.was_over;
    this.#nodes = await knownNodes(postgres);
    this.#heardAt = sentAt;
    const [isOlder, wasOver] = [this.#isOlder, this.#wasOver];
    this.#isOlder = false;
    this.#wasOver = false;
    if (isOlder) this.#events?.older();
    if (wasOver || isOlder) this.#events?.over(renewed.database_now as EpochNs);
    this.#events?.looked(this.#nodes);
    if (!renewed.drains || this.#drains || this.#events === null) return;
    this.#drains = true;
    this.#events.drain();
  }

  /** A standby that took over may have our last beat and lack what followed it. */
  #looksOlder({ database_started, database_now, beat_before }: Renewed): boolean {
    const isStartedAnew = database_started !== (this.#databaseStarted ?? database_started);
    const lostNs = (this.#beatAt ?? beat_before) - beat_before;
    this.#databaseStarted = database_started;
    this.#beatAt = database_now;
    if (lostNs > 0n) {
      this.#options.log.warn(
        { lostMs: ms(lostNs) },
        "the accounts' database is missing its latest changes: it crashed, was restored from a backup, or was replaced",
      );
    }
    return isStartedAnew || lostNs > 0n;
  }

  #displace(): void {
    if (this.#isDisplaced) return;
    this.#isDisplaced = true;
    this.#timer?.[Symbol.dispose]();
    this.#events?.displaced();
  }

  /** The database read its clock between sending and arrival; within that interval the offset counts as zero. */
  #measure(sentAt: bigint, heardAt: bigint, databaseNow: bigint): void {
    const ahead = databaseNow - heardAt;
    const behind = sentAt - databaseNow;
    this.#offsetNs = ahead > 0n ? ahead : behind > 0n ? -behind : 0n;
    if (magnitude(this.#offsetNs) < OFFSET_WARNED_NS) return;
    const warnedAt = this.#offsetWarnedAt;
    if (warnedAt !== null && heardAt - warnedAt < OFFSET_WARNED_EVERY_NS) return;
    this.#offsetWarnedAt = heardAt;
    const offsetMs = ms(this.#offsetNs);
    this.#options.log.warn(
      { offsetMs },
      "the clocks of this node and of the accounts' database differ; from 5 s on this node accepts no new connections",
    );
  }
}

/** The row before the call: a statement does not see what its own functions write. */
const RENEW = `
  select *, (select renewed_at from nodes where id = $1) as beat_before
  from tapeloom_renew(null, $1, $2, $3)`;

interface Renewed {
  readonly beat_before: bigint;
  readonly was_over: boolean;
  readonly drains: boolean;
  readonly database_now: bigint;
  readonly database_started: bigint;
}

interface Other {
  readonly name: string;
  readonly renewed_at: bigint;
}

/** Null when this node has joined, else the process that holds its identity. */
async function tryToJoin({ postgres, node, run }: NodeRegisterOptions): Promise<Other | null> {
  const { id, name, roles, program, computations } = node;
  const [other] = await postgres.query<Other>(
    'select * from tapeloom_join($1, $2, $3, $4, $5, $6, $7)',
    [id, run, name, roles.join(','), program, JSON.stringify(computations), HEARD_WITHIN_NS],
  );
  return other ?? null;
}

function twice({ id, name }: NodeFacts, other: string): NodeTwiceError {
  return new NodeTwiceError(
    `the node ${id} runs already, as ${other}, and this is ${name}: its data directory was copied. ` +
      'Remove node.json from the copy, and it is a node of its own',
  );
}

function magnitude(ns: bigint): bigint {
  return ns < 0n ? -ns : ns;
}

function ms(ns: bigint): number {
  return Number(ns / 1_000_000n);
}
