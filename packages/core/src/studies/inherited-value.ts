/**
 * What a session takes over from an earlier one: the value of the newest session that gave one, at most
 * so many back (determinism 19). Only a session that is complete on the tape gives one, and every session
 * makes it older, complete or not. So it depends on these few sessions alone, wherever a run began. It
 * changes when a session closes, for the next one.
 */

export class InheritedValue<Value> {
  readonly #sessionsMax: number;
  #value: Value | null = null;
  /** How many sessions before the next one the one was that gave it. */
  #ageSessions = 0;

  constructor(sessionsMax: number) {
    this.#sessionsMax = sessionsMax;
  }

  /** Of the open session, else of the next one; null when no session of its look-back gave one. */
  get value(): Value | null {
    return this.#value;
  }

  /** A session closes; its own value is null when it has none. */
  closeSession(own: Value | null, isComplete: boolean): void {
    this.#ageSessions += 1;
    if (own !== null && isComplete) {
      this.#value = own;
      this.#ageSessions = 1;
    } else if (this.#ageSessions > this.#sessionsMax) {
      this.#value = null;
    }
  }
}
