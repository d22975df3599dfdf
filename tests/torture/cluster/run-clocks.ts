/**
 * The clocks of a run: all machines may be ahead of the real time, and each may differ from the
 * others. The run and the processes that it starts read them through `shifted-clock.ts`.
 */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const PRELOAD = new URL('./shifted-clock.ts', import.meta.url).href;
/** The run itself, its commands, and its database. */
const RUN = 'run';

export class RunClocks implements Disposable {
  readonly #directory = mkdtempSync(join(tmpdir(), 'tapeloom-clocks-'));
  /** Offset of each machine from the run, in milliseconds. */
  readonly #off = new Map<string, number>([[RUN, 0]]);
  #aheadMs: number;

  private constructor(aheadMs: number) {
    this.#aheadMs = aheadMs;
  }

  /** Sets the clock of this process ahead by so much. */
  static async open(aheadMs: number): Promise<RunClocks> {
    const clocks = new RunClocks(aheadMs);
    clocks.#tell(RUN);
    process.env.NODE_OPTIONS = `--import=${PRELOAD}`;
    process.env.SHIFTED_CLOCK = clocks.#file(RUN);
    await import(PRELOAD);
    return clocks;
  }

  [Symbol.dispose](): void {
    delete process.env.NODE_OPTIONS;
    rmSync(this.#directory, { recursive: true });
  }

  /** How far the run's clock is ahead of the real time. */
  get aheadMs(): number {
    return this.#aheadMs;
  }

  envOf(machine: string): Readonly<Record<string, string>> {
    if (!this.#off.has(machine)) this.set(machine, 0);
    return { SHIFTED_CLOCK: this.#file(machine) };
  }

  /** Sets a machine's clock relative to the run's, also for a running process. */
  set(machine: string, offMs: number): void {
    this.#off.set(machine, offMs);
    this.#tell(machine);
  }

  advance(ms: number): void {
    this.#aheadMs += ms;
    for (const machine of this.#off.keys()) this.#tell(machine);
  }

  /** Sets the clocks of all machines to the run's. */
  heal(): void {
    for (const machine of this.#off.keys()) this.set(machine, 0);
  }

  #file(machine: string): string {
    return join(this.#directory, machine);
  }

  #tell(machine: string): void {
    writeFileSync(this.#file(machine), String(this.#aheadMs + this.#off.get(machine)!));
  }
}
