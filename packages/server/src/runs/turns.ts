/** How the work of one thread is shared among accounts. */

export interface Turns {
  /** Runs `work` in slots of this account. */
  within<T>(account: string, work: () => Promise<T>): Promise<T>;
  /** Called inside work about every millisecond: lets other work of the thread run. */
  yieldTurn(): Promise<void>;
  /** Awaits work outside this thread, such as disk access; other work may run meanwhile. */
  aside<T>(work: () => Promise<T>): Promise<T>;
}
