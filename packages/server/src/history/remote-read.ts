/**
 * A read that runs in a compute thread, as its reader holds it: one result at a time. Disposal takes
 * effect at once, also for who waits for a result; an answer that is under way then finds nobody.
 */

export interface RemoteReadOptions<Argument, Result> {
  readonly ask: (argument: Argument) => PromiseWithResolvers<Result>;
  /** Called once. */
  readonly close: () => void;
  readonly closedError: () => Error;
  readonly signal: AbortSignal | undefined;
}

export class RemoteRead<Argument, Result> implements AsyncDisposable {
  readonly #options: RemoteReadOptions<Argument, Result>;
  readonly #abort = () => this.#close(this.#options.signal!.reason);
  #asked: PromiseWithResolvers<Result> | null = null;
  #closedBecause: unknown = null;

  constructor(options: RemoteReadOptions<Argument, Result>) {
    this.#options = options;
    options.signal?.addEventListener('abort', this.#abort);
    if (options.signal?.aborted === true) this.#abort();
  }

  async next(argument: Argument): Promise<Result> {
    if (this.#closedBecause !== null) throw this.#closedBecause;
    if (this.#asked !== null) throw new Error('one result at a time');
    this.#asked = this.#options.ask(argument);
    try {
      return await this.#asked.promise;
    } finally {
      this.#asked = null;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#close(this.#options.closedError());
  }

  #close(reason: unknown): void {
    if (this.#closedBecause !== null) return;
    this.#closedBecause = reason;
    this.#options.signal?.removeEventListener('abort', this.#abort);
    this.#asked?.reject(reason);
    this.#options.close();
  }
}
