/**
 * Builds the portal beside a start in a checkout: in a process of its own, at the lowest priority, only if a source is
 * newer than the build. The start never waits for it. The console shows its start and outcome; a failure comes with the
 * build's own output. Several may run at once: each replaces the whole directory.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { constants, setPriority } from 'node:os';
import { join } from 'node:path';

const WORDS_MAX = 4_000;
/** A build that takes longer than this is stuck. */
const BUILD_MS_MAX = 300_000;

export interface PortalBuildOptions {
  readonly program: string;
  /** A file in the built directory that every build writes. */
  readonly made: string;
  /** The files and directories it is made from; missing ones are skipped. */
  readonly sources: readonly string[];
  readonly say: (line: string) => void;
}

export class PortalBuild implements Disposable {
  readonly #options: PortalBuildOptions;
  /** Resolves to whether there is a new build to read; never rejects. */
  readonly ended: Promise<boolean>;
  #child: ChildProcess | null = null;
  #isOver = false;

  private constructor(options: PortalBuildOptions) {
    this.#options = options;
    this.ended = this.#run().catch((error: unknown) => {
      this.#tellFailure(error instanceof Error ? error.message : String(error));
      return false;
    });
  }

  /** Null: there is no such program, so the portal is installed built or not at all. */
  static start(options: PortalBuildOptions): PortalBuild | null {
    return existsSync(options.program) ? new PortalBuild(options) : null;
  }

  [Symbol.dispose](): void {
    this.#isOver = true;
    this.#child?.kill('SIGTERM');
  }

  async #run(): Promise<boolean> {
    const { made, sources, say } = this.#options;
    const builtAt = await timeOf(made);
    const isStale = builtAt === null || (await newestOf(sources)) > builtAt;
    if (!isStale || this.#isOver) return false;
    const why = builtAt === null ? 'for the first time' : 'because its sources have changed';
    say(`The portal is being built in the background, ${why}.`);
    const startedAt = performance.now();
    const { status, words } = await this.#build();
    if (this.#isOver) return false;
    if (status !== 0) {
      this.#tellFailure(words);
      return false;
    }
    say(`The portal was built in ${((performance.now() - startedAt) / 1000).toFixed(1)} s.`);
    return true;
  }

  #tellFailure(words: string): void {
    if (this.#isOver) return;
    const text = words.trim().slice(-WORDS_MAX);
    this.#options.say(
      `The portal could not be built. The service runs without its new pages:\n${text}`,
    );
  }

  async #build(): Promise<{ readonly status: number | null; readonly words: string }> {
    const child = spawn(process.execPath, [this.#options.program], {
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: BUILD_MS_MAX,
    });
    this.#child = child;
    let words = '';
    const hear = (text: string) => {
      words = (words + text).slice(-2 * WORDS_MAX);
    };
    child.stdout.setEncoding('utf8').on('data', hear);
    child.stderr.setEncoding('utf8').on('data', hear);
    yieldTo(child.pid);
    const { promise, resolve, reject } = Promise.withResolvers<number | null>();
    child.once('error', reject);
    child.once('close', resolve);
    const status = await promise;
    return { status, words: words.trim() === '' ? `it ended with ${status}` : words };
  }
}

/** The service's own work takes precedence. */
function yieldTo(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    setPriority(pid, constants.priority.PRIORITY_LOW);
  } catch {
    // It has ended already, or the system has no priorities.
  }
}

async function timeOf(path: string): Promise<number | null> {
  try {
    return (await stat(path)).mtimeMs;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** The newest change of these files, or of a directory in which files came or went. */
async function newestOf(paths: readonly string[]): Promise<number> {
  let newest = 0;
  const look = async (path: string) => {
    newest = Math.max(newest, (await timeOf(path)) ?? 0);
  };
  for (const path of paths) {
    const found = await stat(path).catch(() => null);
    if (found === null) continue;
    await look(path);
    if (!found.isDirectory()) continue;
    const entries = await readdir(path, { recursive: true, withFileTypes: true });
    // Tests are no part of the build.
    const parts = entries.filter(({ name }) => !name.includes('.test.'));
    for (const { parentPath, name } of parts) await look(join(parentPath, name));
  }
  return newest;
}
