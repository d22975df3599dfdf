/**
 * What a session takes over from an earlier one: the value of the newest session that gave one, at most
 * so many back (determinism 19). Only a session that is complete on the tape gives one, and every session
 * makes it older, complete or not. So it depends on these few sessions alone, wherever a run began. It
 * changes at a session's open only.
 */

export class InheritedValue<Value> {
  readonly #sessionsMax: number;
  #value: Value | null = null;
  /** How many sessions ago the one was that gave it. */
  #ageSessions = 0;
  /** What the session that closed last gives. */
  #given: Value | null = null;

  constructor(sessionsMax: number) {
    this.#sessionsMax = sessionsMax;
  }

  /** Null while no session of the look-back gave one. */
  get value(): Value | null {
    return this.#value;
  }

  /** A session closes, and gives a value, if it has one and is complete. */
  closeSession(value: Value | null, isComplete: boolean): void {
    this.#given = isComplete ? value : null;
  }

  openSession(): void {
    this.#ageSessions += 1;
    if (this.#given !== null) {
      this.#value = this.#given;
      this.#ageSessions = 1;
    } else if (this.#ageSessions > this.#sessionsMax) {
      this.#value = null;
    }
    this.#given = null;
  }
}
