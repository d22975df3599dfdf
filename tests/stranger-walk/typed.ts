/** A command typed into a terminal: its output, and the time until something appears. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname } from 'node:path';

const WAIT_MS_MAX = 300_000;
const ESCAPE = String.fromCharCode(27);

/** Control sequences of a terminal. */
const CONTROL = new RegExp(`${ESCAPE}\\[[0-9;?]*[A-Za-z]`, 'g');
const running = new Set<number>();
process.on('exit', () => running.forEach(end));

/** The environment without our Node in the path and without our settings. */
const strangersEnv: NodeJS.ProcessEnv = {
  HOME: process.env.HOME,
  TERM: 'xterm-256color',
  PATH: (process.env.PATH ?? '')
    .split(':')
    .filter((folder) => !folder.includes('node_modules'))
    .join(':'),
};

export class Typed implements AsyncDisposable {
  output = '';
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;
  readonly #typedAt = performance.now();

  constructor(command: string, cwd: string, env: Readonly<Record<string, string>> = {}) {
    this.#child = spawn('bash', ['-c', command], {
      cwd,
      env: { ...strangersEnv, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      // Its own process group, so that children of npm end with it.
      detached: true,
    });
    const { pid } = this.#child;
    this.#ended = once(this.#child, 'exit');
    if (pid !== undefined) running.add(pid);
    for (const stream of [this.#child.stdout!, this.#child.stderr!]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        this.output += text;
      });
    }
  }

  /** Seconds from the key press until the output matches, without control sequences. */
  async shows(pattern: RegExp): Promise<number> {
    while (!pattern.test(this.output.replace(CONTROL, ''))) {
      const ms = performance.now() - this.#typedAt;
      if (ms > WAIT_MS_MAX || this.#child.exitCode !== null) {
        throw new Error(`${pattern} did not come:\n${this.output.slice(-2_000)}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    return this.#seconds();
  }

  /** Seconds until it ended with code 0. */
  async ends(): Promise<number> {
    await this.#ended;
    if (this.#child.exitCode !== 0) throw new Error(this.output.slice(-2_000));
    return this.#seconds();
  }

  #seconds(): number {
    return (performance.now() - this.#typedAt) / 1_000;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { pid } = this.#child;
    if (pid === undefined) return;
    if (this.#child.exitCode === null) end(pid);
    await this.#ended;
    running.delete(pid);
  }
}

/** Ends a command with all its children, as ctrl-c does. */
function end(pid: number): void {
  try {
    process.kill(-pid, 'SIGINT');
  } catch {
    // The process has just ended by itself.
  }
}

/** Wraps a command in a pseudo-terminal, where a program may draw. */
export function inTerminal(command: string): string {
  const quoted = command.replaceAll("'", String.raw`'\''`);
  return `script -qefc 'stty rows 40 cols 110; ${quoted}' /dev/null`;
}

/** The machine's own Node, not one that we provide. */
export async function strangersNode(): Promise<string> {
  await using typed = new Typed('node --version', dirname(import.meta.dirname));
  await typed.ends();
  return typed.output.trim();
}
