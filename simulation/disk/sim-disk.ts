/**
 * A disk in memory that guarantees only what the port does. A `crash` drops everything unsynced, names included, or
 * tears it with the given randomness: some pending operations survive in order, the last one cut or with missing
 * sectors. After a failed sync the data is lost while reads still show it, as in kernels. A killed process's calls
 * never return.
 */

import { crc32 } from 'node:zlib';
import type {
  Disk,
  DiskEntry,
  DiskFile,
  DiskSpace,
  OpenMode,
} from '@tapeloom/server/platform/disk/disk';
import { Content, type ContentChange, change, type Random, tear } from './sim-disk-content.ts';

export type { Random } from './sim-disk-content.ts';

export type DiskOperation =
  | 'open'
  | 'write'
  | 'read'
  | 'sync'
  | 'truncate'
  | 'rename'
  | 'remove'
  | 'makeDirectory'
  | 'syncDirectory'
  | 'list'
  | 'stat'
  | 'space';

/**
 * `full`: the disk is full. `fail`: an I/O error. `busy`: temporarily unable, nothing done. `halt`: the machine stops.
 */
export type Fault = 'full' | 'fail' | 'busy' | 'halt';
export type FaultPlan = (operation: DiskOperation, path: string) => Fault | null;

/** The system call that fails on a `busy` machine. */
const SYSTEM_CALLS: Readonly<Record<DiskOperation, string>> = {
  open: 'open',
  write: 'write',
  read: 'read',
  sync: 'fdatasync',
  truncate: 'ftruncate',
  rename: 'rename',
  remove: 'unlink',
  makeDirectory: 'mkdir',
  syncDirectory: 'open',
  list: 'scandir',
  stat: 'stat',
  space: 'statfs',
};

interface Node {
  readonly kind: 'file' | 'directory';
  readonly now: Content;
  readonly synced: Content;
  pending: ContentChange[];
}

interface NameChange {
  readonly directory: string;
  readonly entries: readonly (readonly [path: string, node: Node | null])[];
}

export class SimDisk {
  /** Called before every operation; null lets it pass. */
  faults: FaultPlan = () => null;
  space: DiskSpace | null = null;
  #names = new Map<string, Node>([['', createNode('directory')]]);
  #syncedNames = new Map(this.#names);
  #pendingNames: NameChange[] = [];
  #process = 0;
  #halted = Promise.withResolvers<void>();

  /** The disk of a new process; pending calls of older processes never return. */
  boot(): Disk {
    this.#process += 1;
    this.#halted = Promise.withResolvers<void>();
    return new SimProcessDisk(this, this.#process);
  }

  get halted(): Promise<void> {
    return this.#halted.promise;
  }

  /** The process dies, the machine keeps running: no written data is lost. */
  kill(): void {
    this.#process += 1;
  }

  /** The machine loses power. Without randomness all unsynced data is lost. */
  crash(random: Random | null = null): void {
    this.#process += 1;
    const names = new Map(this.#syncedNames);
    const kept = random === null ? 0 : Math.floor(random() * (this.#pendingNames.length + 1));
    for (const change of this.#pendingNames.slice(0, kept)) applyNames(names, change);
    for (const path of [...names.keys()].sort()) {
      if (path !== '' && !names.has(parentOf(path))) names.delete(path);
    }
    this.#names = names;
    this.#syncedNames = new Map(names);
    this.#pendingNames = [];
    for (const node of new Set(names.values())) settleContent(node, random);
  }

  /** Flips one bit of a file, unnoticed by the process. */
  flip(path: string, position: number, bit: number): void {
    const node = this.#file(path);
    for (const content of [node.now, node.synced]) {
      if (position < content.size) content.bytes[position]! ^= 1 << bit;
    }
  }

  /** The file's present content for readers; null when there is none. */
  bytes(path: string): Uint8Array | null {
    const node = this.#names.get(path);
    return node === undefined ? null : node.now.bytes.slice(0, node.now.size);
  }

  /** Places a synced file, for tests that cut or change files. */
  put(path: string, bytes: Uint8Array): void {
    for (let at = parentOf(path); !this.#names.has(at); at = parentOf(at)) {
      this.#put(at, createNode('directory'));
    }
    const node = createNode('file');
    for (const content of [node.now, node.synced]) {
      change(content, { kind: 'write', position: 0, bytes });
    }
    this.#put(path, node);
  }

  files(): readonly string[] {
    return [...this.#names].flatMap(([path, node]) => (node.kind === 'file' ? [path] : [])).sort();
  }

  /** Lets a process's operation pass, or fails or halts it. */
  async enter(process: number, operation: DiskOperation, path: string): Promise<Fault | null> {
    await Promise.resolve();
    if (process !== this.#process) return new Promise<never>(() => {});
    const fault = this.faults(operation, path);
    if (fault === 'halt') {
      this.kill();
      this.#halted.resolve();
    }
    return fault;
  }

  find(path: string): Node | null {
    return this.#names.get(path) ?? null;
  }

  children(path: string): string[] {
    const prefix = `${path}/`;
    return [...this.#names.keys()].flatMap((name) =>
      name.startsWith(prefix) && !name.slice(prefix.length).includes('/')
        ? [name.slice(prefix.length)]
        : [],
    );
  }

  change(entries: NameChange['entries']): void {
    const directory = parentOf(entries[0]![0]);
    if (this.#names.get(directory)?.kind !== 'directory') throw diskError('ENOENT', directory);
    const made: NameChange = { directory, entries };
    applyNames(this.#names, made);
    this.#pendingNames.push(made);
  }

  syncNames(directory: string): void {
    const mine = this.#pendingNames.filter((change) => change.directory === directory);
    this.#pendingNames = this.#pendingNames.filter((change) => change.directory !== directory);
    for (const change of mine) applyNames(this.#syncedNames, change);
  }

  #file(path: string): Node {
    const node = this.#names.get(path);
    if (node === undefined) throw diskError('ENOENT', path);
    return node;
  }

  #put(path: string, node: Node): void {
    this.#names.set(path, node);
    this.#syncedNames.set(path, node);
  }
}

class SimProcessDisk implements Disk {
  readonly #machine: SimDisk;
  readonly #process: number;

  constructor(machine: SimDisk, process: number) {
    this.#machine = machine;
    this.#process = process;
  }

  async open(path: string, mode: OpenMode): Promise<DiskFile> {
    await this.#pass('open', path);
    let node = this.#machine.find(path);
    if (node === null && mode !== 'create') throw diskError('ENOENT', path);
    if (node === null) {
      node = createNode('file');
      this.#machine.change([[path, node]]);
    } else if (mode === 'create') {
      pend(node, { kind: 'truncate', size: 0 });
    }
    return new SimDiskFile(this.#machine, this.#process, path, node);
  }

  async rename(from: string, to: string): Promise<void> {
    await this.#pass('rename', from);
    const node = this.#machine.find(from);
    if (node === null) throw diskError('ENOENT', from);
    if (parentOf(from) !== parentOf(to)) {
      // Two directories need two syncs: a crash may leave both names.
      this.#machine.change([[to, node]]);
      this.#machine.change([[from, null]]);
      return;
    }
    this.#machine.change([
      [from, null],
      [to, node],
    ]);
  }

  async remove(path: string): Promise<void> {
    await this.#pass('remove', path);
    if (this.#machine.find(path) === null) throw diskError('ENOENT', path);
    this.#machine.change([[path, null]]);
  }

  async makeDirectory(path: string): Promise<void> {
    await this.#pass('makeDirectory', path);
    const missing: string[] = [];
    for (let at = path; this.#machine.find(at) === null; at = parentOf(at)) missing.unshift(at);
    for (const at of missing) this.#machine.change([[at, createNode('directory')]]);
    for (const at of [...missing, path]) this.#machine.syncNames(parentOf(at));
  }

  async syncDirectory(path: string): Promise<void> {
    await this.#pass('syncDirectory', path);
    this.#machine.syncNames(path);
  }

  async list(path: string): Promise<readonly string[]> {
    await this.#pass('list', path);
    return this.#machine.children(path).sort();
  }

  async stat(path: string): Promise<DiskEntry | null> {
    await this.#pass('stat', path);
    const node = this.#machine.find(path);
    if (node === null) return null;
    const { bytes, size } = node.now;
    return { kind: node.kind, size, version: String(crc32(bytes.subarray(0, size))) };
  }

  async space(path: string): Promise<DiskSpace | null> {
    await this.#pass('space', path);
    return this.#machine.space;
  }

  async #pass(operation: DiskOperation, path: string): Promise<void> {
    const fault = await this.#machine.enter(this.#process, operation, path);
    if (fault !== null) await stop(fault, operation, path);
  }
}

class SimDiskFile implements DiskFile {
  readonly #machine: SimDisk;
  readonly #process: number;
  readonly #path: string;
  readonly #node: Node;
  #isClosed = false;

  constructor(machine: SimDisk, process: number, path: string, node: Node) {
    this.#machine = machine;
    this.#process = process;
    this.#path = path;
    this.#node = node;
  }

  async write(bytes: Uint8Array, position: number): Promise<void> {
    this.#assertOpen();
    const fault = await this.#machine.enter(this.#process, 'write', this.#path);
    // A full disk takes half of a write, a failed or busy one nothing. A halted write is pending whole.
    const reached = fault === 'full' ? bytes.length >> 1 : isUndone(fault) ? 0 : bytes.length;
    if (reached > 0) {
      pend(this.#node, {
        kind: 'write',
        position,
        bytes: new Uint8Array(bytes.subarray(0, reached)),
      });
    }
    if (fault !== null) await stop(fault, 'write', this.#path);
  }

  async read(into: Uint8Array, position: number): Promise<number> {
    await this.#pass('read');
    const { bytes, size } = this.#node.now;
    const count = Math.max(0, Math.min(into.length, size - position));
    into.set(bytes.subarray(position, position + count));
    return count;
  }

  async sync(): Promise<void> {
    this.#assertOpen();
    const fault = await this.#machine.enter(this.#process, 'sync', this.#path);
    if (isUndone(fault)) this.#node.pending = [];
    if (fault !== null) await stop(fault, 'sync', this.#path);
    for (const made of this.#node.pending) change(this.#node.synced, made);
    this.#node.pending = [];
  }

  async truncate(size: number): Promise<void> {
    await this.#pass('truncate');
    pend(this.#node, { kind: 'truncate', size });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
  }

  #assertOpen(): void {
    if (this.#isClosed) throw new Error(`${this.#path} is closed`);
  }

  async #pass(operation: DiskOperation): Promise<void> {
    this.#assertOpen();
    const fault = await this.#machine.enter(this.#process, operation, this.#path);
    if (fault !== null) await stop(fault, operation, this.#path);
  }
}

function createNode(kind: Node['kind']): Node {
  return { kind, now: new Content(), synced: new Content(), pending: [] };
}

function pend(node: Node, made: ContentChange): void {
  change(node.now, made);
  node.pending.push(made);
}

function applyNames(names: Map<string, Node>, change: NameChange): void {
  for (const [path, node] of change.entries) {
    if (node === null) names.delete(path);
    else names.set(path, node);
  }
}

function settleContent(node: Node, random: Random | null): void {
  if (random !== null && node.pending.length > 0) {
    const whole = Math.floor(random() * (node.pending.length + 1));
    for (const made of node.pending.slice(0, whole)) change(node.synced, made);
    const torn = node.pending[whole];
    if (torn?.kind === 'write') change(node.synced, tear(torn, node.synced, random));
  }
  node.pending = [];
  change(node.now, { kind: 'truncate', size: 0 });
  const bytes = node.synced.bytes.subarray(0, node.synced.size);
  change(node.now, { kind: 'write', position: 0, bytes });
}

function isUndone(fault: Fault | null): boolean {
  return fault === 'fail' || fault === 'busy';
}

async function stop(fault: Fault, operation: DiskOperation, path: string): Promise<void> {
  switch (fault) {
    case 'halt':
      return new Promise<never>(() => {});
    case 'full':
      throw diskError('ENOSPC', path);
    case 'fail':
      throw diskError('EIO', path);
    case 'busy':
      throw Object.assign(diskError('EMFILE', path), { syscall: SYSTEM_CALLS[operation] });
    default: {
      const never: never = fault;
      throw new Error(`no such fault: ${never}`);
    }
  }
}

function diskError(code: string, path: string): Error {
  return Object.assign(new Error(`${code}: ${path}`), { code });
}

function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}
