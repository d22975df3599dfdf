/**
 * A value that a session inherits: that of the newest earlier session with one, within a limited look-back (determinism
 * 19). Only a session that is complete on the tape gives a value, but every session makes it older. So it depends on
 * these few sessions only, wherever a run began. It changes when a session closes, for the next one.
 */

export class InheritedValue<Value> {
  readonly #sessionsMax: number;
  #value: Value | null = null;
  /** How many sessions before the next one the value's session was. */
  #ageSessions = 0;

  constructor(sessionsMax: number) {
    this.#sessionsMax = sessionsMax;
  }

  /** For the open session, else the next one; null if no session of the look-back gave one. */
  get value(): Value | null {
    return this.#value;
  }

  /** A session closes; `own` is null if it has no value. */
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
