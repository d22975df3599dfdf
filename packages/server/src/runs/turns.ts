/** How works of one thread share it, by whose they are. */

export interface Turns {
  /** Runs `work` in turns of this account. */
  within<T>(account: string, work: () => Promise<T>): Promise<T>;
  /** Called by work in the middle of it, about every millisecond: lets the thread's other work happen. */
  yieldTurn(): Promise<void>;
  /** Waits for what is done elsewhere, by the disk or another thread: this thread is others' meanwhile. */
  aside<T>(work: () => Promise<T>): Promise<T>;
}
