/**
 * The common base of the SQL store's parts: transactions that await only their own statements, change reports, new ids.
 * Audit events of a transaction are announced after its commit and before its method resolves.
 */

import type { Kysely } from 'kysely';
import type { AccountSchema } from './account-schema.ts';
import type { AccountChange, AccountsTroubleError, AuditEvent } from './account-store.ts';
import { readAudit, type Writing } from './sql-audit.ts';
import { SqlChanges } from './sql-changes.ts';
import type { Sql, SqlDatabase, SqlRoutines } from './sql-database.ts';

/** 80 random bits: no id collides by chance or can be guessed. */
const ID_BYTES = 10;
/** Changes of other processes must be heard within a second. */
const LOOK_ELSEWHERE_MS = 200;

type Random = (count: number) => Uint8Array;

/** A store method, and the work that it does with its arguments. */
type Method<Args extends readonly unknown[], Result> = (...args: Args) => Promise<Result>;
type Work<On, Args extends readonly unknown[], Result> = (on: On, ...args: Args) => Promise<Result>;

export class SqlStore implements AsyncDisposable {
  readonly #database: SqlDatabase;
  readonly #changes: SqlChanges;
  readonly #random: Random;
  readonly #timer: NodeJS.Timeout;
  readonly #elsewhereListeners = new Set<() => void>();
  readonly #troubleListeners = new Set<(trouble: AccountsTroubleError) => void>();
  #looking: Promise<void> | null = null;
  /** Others have written, and their events could not be read yet. */
  #mustLook = false;

  private constructor(database: SqlDatabase, changes: SqlChanges, random: Random) {
    this.#database = database;
    this.#changes = changes;
    this.#random = random;
    this.#timer = setInterval(() => this.#lookAgain(), LOOK_ELSEWHERE_MS).unref();
    database.onNews(() => this.#lookAgain());
  }

  /** Expects a database with the newest schema. */
  static async open(database: SqlDatabase, random: Random): Promise<SqlStore> {
    database.elsewhere();
    const [newest = null] = await database.asking((kysely) =>
      readAudit(kysely, { limit: 1, newestFirst: true }),
    );
    return new SqlStore(database, new SqlChanges(database.kysely, newest), random);
  }

  /** A method that only reads, in a transaction. */
  reads<Args extends readonly unknown[], Result>(
    work: Work<Sql, Args, Result>,
  ): Method<Args, Result> {
    return (...args) => this.#guard(() => this.#database.reading((sql) => work(sql, ...args)));
  }

  /** A method that is one read-only statement. */
  asks<Args extends readonly unknown[], Result>(
    work: Work<Kysely<AccountSchema>, Args, Result>,
  ): Method<Args, Result> {
    return (...args) =>
      this.#guard(() => this.#database.asking((database) => work(database, ...args)));
  }

  /** A method that writes without audit events. */
  changes<Args extends readonly unknown[], Result>(
    work: Work<Sql, Args, Result>,
  ): Method<Args, Result> {
    return this.writes(({ sql }, ...args: Args) => work(sql, ...args));
  }

  /** A method that writes, with audit events. */
  writes<Args extends readonly unknown[], Result>(
    work: Work<Writing, Args, Result>,
  ): Method<Args, Result> {
    return async (...args) => {
      const { result, told } = await this.#guard(() =>
        this.#database.writing(async (sql) => {
          const told: AuditEvent[] = [];
          return { result: await work({ sql, told }, ...args), told };
        }),
      );
      this.#changes.madeHere(told);
      return result;
    };
  }

  get routines(): SqlRoutines {
    return this.#database.routines;
  }

  /** A method that the database implements as a whole. */
  calls<Args extends readonly unknown[], Result>(
    work: Work<SqlRoutines, Args, Result>,
  ): Method<Args, Result> {
    return (...args) => this.#guard(() => work(this.#database.routines, ...args));
  }

  /** A method that one process at a time runs; see `whileAlone`. */
  alone<Args extends readonly unknown[]>(
    work: (...args: Args) => Promise<void>,
  ): Method<Args, void> {
    return (...args) => this.#guard(() => this.#database.whileAlone(() => work(...args)));
  }

  /** `<kind>_` and 80 random bits. */
  newId(kind: string): string {
    return `${kind}_${Buffer.from(this.#random(ID_BYTES)).toString('hex')}`;
  }

  probe(): Promise<void> {
    return this.#guard(async () => {
      await this.#database.probe();
      await this.#lookElsewhere();
    });
  }

  onChange(listener: (change: AccountChange) => void): Disposable {
    return this.#changes.listen(listener);
  }

  onWrittenElsewhere(listener: () => void): Disposable {
    const own = () => listener();
    this.#elsewhereListeners.add(own);
    return { [Symbol.dispose]: () => this.#elsewhereListeners.delete(own) };
  }

  onTrouble(listener: (trouble: AccountsTroubleError) => void): Disposable {
    const own = (trouble: AccountsTroubleError) => listener(trouble);
    this.#troubleListeners.add(own);
    return { [Symbol.dispose]: () => this.#troubleListeners.delete(own) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer);
    await this.#looking?.catch(() => {});
    await this.#database[Symbol.asyncDispose]();
  }

  /** Reports trouble of the database, and rejects with it. */
  async #guard<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      const trouble = this.#database.troubleOf(error);
      if (trouble === null) throw error;
      for (const listener of this.#troubleListeners) listener(trouble);
      throw trouble;
    }
  }

  #lookAgain(): void {
    this.#guard(() => this.#lookElsewhere()).catch((error: unknown) => {
      // Trouble is already reported, and the next look is soon. Any other error is our own fault.
      if (this.#database.troubleOf(error) === null) throw error;
    });
  }

  #lookElsewhere(): Promise<void> {
    const look = async () => {
      const elsewhere = this.#database.elsewhere();
      if (elsewhere === 'written') {
        this.#mustLook = true;
        for (const listener of this.#elsewhereListeners) listener();
      }
      if (this.#mustLook) await this.#database.asking(() => this.#changes.lookElsewhere());
      else if (elsewhere === 'nothing') this.#changes.nothingElsewhere();
      this.#mustLook = false;
    };
    this.#looking ??= look().finally(() => {
      this.#looking = null;
    });
    return this.#looking;
  }
}
