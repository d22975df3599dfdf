/**
 * The clocks of a run: all machines may live at another time than this one, and each may be off from the others. Processes that the
 * run starts have them by `shifted-clock.ts`, and so has the run itself.
 */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const PRELOAD = new URL('./shifted-clock.ts', import.meta.url).href;
/** The run itself, its commands, and its database. */
const RUN = 'run';

export class RunClocks implements Disposable {
  readonly #directory = mkdtempSync(join(tmpdir(), 'tapeloom-clocks-'));
  /** By machine, how far it is off from the run. */
  readonly #off = new Map<string, number>([[RUN, 0]]);
  #aheadMs: number;

  private constructor(aheadMs: number) {
    this.#aheadMs = aheadMs;
  }

  /** From now on this process lives so far ahead of its machine. */
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

  /** How far the run lives ahead of this machine. */
  get aheadMs(): number {
    return this.#aheadMs;
  }

  /** What a process on that machine is given. */
  envOf(machine: string): Readonly<Record<string, string>> {
    if (!this.#off.has(machine)) this.set(machine, 0);
    return { SHIFTED_CLOCK: this.#file(machine) };
  }

  /** Sets a machine's clock, also below a process that runs: by so much it is ahead of the run's, or behind it. */
  set(machine: string, offMs: number): void {
    this.#off.set(machine, offMs);
    this.#tell(machine);
  }

  /** All machines at once. */
  advance(ms: number): void {
    this.#aheadMs += ms;
    for (const machine of this.#off.keys()) this.#tell(machine);
  }

  /** All machines show what the run does. */
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
