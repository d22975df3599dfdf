/** For tests: objects in memory, shared by all users, which can be made unreachable. */

import type { TapeObjects } from '@tapeloom/server/tape/stream/tape-stream';

export class MemoryObjects implements TapeObjects {
  readonly kept = new Map<string, Uint8Array>();
  isOutOfReach = false;

  async put(name: string, bytes: Uint8Array): Promise<void> {
    this.#answer();
    this.kept.set(name, bytes.slice());
  }

  async get(name: string): Promise<Uint8Array | null> {
    this.#answer();
    return this.kept.get(name)?.slice() ?? null;
  }

  async list(prefix: string): Promise<readonly string[]> {
    this.#answer();
    return [...this.kept.keys()].filter((name) => name.startsWith(prefix)).sort();
  }

  async remove(name: string): Promise<void> {
    this.#answer();
    this.kept.delete(name);
  }

  #answer(): void {
    if (this.isOutOfReach) throw new Error('nobody answers');
  }
}
