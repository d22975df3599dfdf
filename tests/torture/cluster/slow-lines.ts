/**
 * Slow lines: each line is removed from its network's bridge and led through a process that delays
 * its frames (`slow-wire.ts`). Connections over it stay open.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { ip, type Line } from './machines.ts';

const WIRE = fileURLToPath(new URL('./slow-wire.ts', import.meta.url));
/** Node warns about calls into the C library. */
const QUIET = '--disable-warning=ExperimentalWarning';
/** A blocking read of each device occupies a thread. */
const THREADS = 64;

export interface Slowness {
  /** The least delay, one way. */
  readonly ms: number;
  readonly seed: number;
}

export class SlowLines implements AsyncDisposable {
  readonly #lines: readonly Line[];
  readonly #wire: ChildProcess;

  private constructor(lines: readonly Line[], wire: ChildProcess) {
    this.#lines = lines;
    this.#wire = wire;
  }

  static async make(lines: readonly Line[], { ms, seed }: Slowness): Promise<SlowLines> {
    const pairs = lines.map((line) => `${nearOf(line)}=${farOf(line)}`);
    const wire = spawn(process.execPath, [QUIET, WIRE, String(ms), String(seed), ...pairs], {
      // The process reads a pipe of the run, so it ends with the run.
      stdio: ['pipe', 'pipe', 'inherit'],
      env: { ...process.env, UV_THREADPOOL_SIZE: String(THREADS) },
    });
    const up = once(wire.stdout!, 'data').then(() => true);
    const isUp = await Promise.race([up, once(wire, 'exit').then(() => false)]);
    if (!isUp) throw new Error('lines cannot be made slow here');
    for (const line of lines) {
      ip('link', 'add', 'name', detourOf(line), 'type', 'bridge');
      ip('link', 'set', detourOf(line), 'up');
      ip('link', 'set', nearOf(line), 'master', detourOf(line), 'up');
      ip('link', 'set', farOf(line), 'master', line.bridge, 'up');
      ip('link', 'set', line.name, 'master', detourOf(line));
    }
    return new SlowLines(lines, wire);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#wire.exitCode !== null || this.#wire.signalCode !== null) return;
    for (const line of this.#lines) ip('link', 'set', line.name, 'master', line.bridge);
    this.#wire.kill('SIGKILL');
    await once(this.#wire, 'exit');
    for (const line of this.#lines) ip('link', 'del', detourOf(line));
  }
}

/** The side of the machine. */
function nearOf({ name }: Line): string {
  return `n-${name}`;
}

/** The side of the network. */
function farOf({ name }: Line): string {
  return `f-${name}`;
}

function detourOf({ name }: Line): string {
  return `d-${name}`;
}
