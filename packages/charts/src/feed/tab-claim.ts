/**
 * Which tab of a browser has the only connection of an account. A tab waits until no other has it, and gives it up when
 * another tab's reader asks. Nobody takes it.
 */

/** The other tabs of this browser: Web Locks and a BroadcastChannel. */
export interface TabsPort {
  /** Resolves with the function that lets go, once no other tab holds the name; rejects if the signal aborts. */
  hold(name: string, signal: AbortSignal): Promise<() => void>;
  /** Whether no tab holds the name. */
  isFree(name: string): Promise<boolean>;
  say(text: string): void;
  /** Calls `hear` with what other tabs say. */
  listen(hear: (text: string) => void): () => void;
}

export interface TabClaimOptions {
  readonly tabs: TabsPort;
  readonly name: string;
  /** `held`: this tab may connect. `waiting`: another one has it. */
  readonly onChange: (state: 'held' | 'waiting') => void;
  /** Another tab's reader asks for it: this tab has let go. */
  readonly onGiven: () => void;
}

export class TabClaim {
  readonly #options: TabClaimOptions;
  readonly #deaf: () => void;
  #waiting: AbortController | null = null;
  #letGo: (() => void) | null = null;

  constructor(options: TabClaimOptions) {
    this.#options = options;
    this.#deaf = options.tabs.listen((text) => this.#hear(text));
  }

  /** Waits for the place, unless it is held or awaited. */
  want(): void {
    if (this.#letGo === null && this.#waiting === null) void this.#wait();
  }

  /** Asks whoever has it. */
  ask(): void {
    this.want();
    this.#options.tabs.say(this.#asking);
  }

  /** Gives it up, and no longer waits for it. */
  leave(): void {
    this.#waiting?.abort();
    this.#waiting = null;
    const letGo = this.#letGo;
    this.#letGo = null;
    letGo?.();
  }

  close(): void {
    this.leave();
    this.#deaf();
  }

  async #wait(): Promise<void> {
    const { tabs, name, onChange } = this.#options;
    const waiting = new AbortController();
    this.#waiting = waiting;
    const isFree = await tabs.isFree(name).catch(() => true);
    if (this.#waiting !== waiting) return;
    if (!isFree) onChange('waiting');
    try {
      const letGo = await tabs.hold(name, waiting.signal);
      if (this.#waiting !== waiting) {
        letGo();
        return;
      }
      this.#waiting = null;
      this.#letGo = letGo;
    } catch {
      // Left before it came. Without locks the service alone decides.
      if (this.#waiting !== waiting) return;
      this.#waiting = null;
      this.#letGo = () => {};
    }
    onChange('held');
  }

  #hear(text: string): void {
    if (text !== this.#asking || this.#letGo === null) return;
    this.leave();
    this.#options.onGiven();
  }

  get #asking(): string {
    return `ask ${this.#options.name}`;
  }
}
