/**
 * Limits pending output on every connection of a server. A reader that takes less than 4 KiB a second over a minute,
 * while output is pending, is cut; time in which we have nothing for it does not count. Pending bytes count for a
 * holder: an account, or the neighbourhood of an address. A holder beyond its share gets no new answers, and its
 * streams wait. When the total is too large, only the largest holder loses an answer: the one that has stalled longest.
 */

import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { MIB } from '@tapeloom/core/units';
import { neighbourhood } from '../../../accounts/auth/address-throttle.ts';
import type { Clock } from '../../../platform/clock.ts';
import { ProblemError } from '../problems/problem-error.ts';
import { AnswerLine, type CutReason, type LineOwner, LOOK_EVERY_MS } from './answer-line.ts';

export interface UnreadLimits {
  readonly eachMax: number;
  readonly allMax: number;
}

/** Two of the largest pages each: a good reader holds one for a moment. In all, the memory reserved for this. */
export const UNREAD_LIMITS: UnreadLimits = { eachMax: 32 * MIB, allMax: 256 * MIB };

/** An answer that is not read at all is cut within a minute. */
const RETRY_AFTER_S = 10;

/** Key of a connection's line, stored on the socket itself to avoid a lookup. */
const LINE = Symbol('line');

interface Lined {
  /** Undefined again once the stream has taken over the socket. */
  [LINE]?: AnswerLine | undefined;
}

interface Holder {
  bytes: number;
  /** Those with pending bytes. */
  readonly lines: Set<AnswerLine>;
  /** Streams that wait until the holder may have more, in their order. */
  readonly waiting: Map<AnswerLine, () => void>;
}

export class UnreadAnswers implements LineOwner {
  readonly cutTotal: Record<CutReason, number> = { stalled: 0, share: 0, flood: 0 };
  readonly #clock: Pick<Clock, 'every'>;
  readonly #limits: UnreadLimits;
  /** Watched connections. */
  readonly #lines = new Set<AnswerLine>();
  readonly #holders = new Map<string, Holder>();
  #bytes = 0;
  /** Waiting streams of all holders. */
  #waiting = 0;
  /** Only while there are connections. */
  #looking: Disposable | null = null;

  constructor(clock: Pick<Clock, 'every'>, limits: Partial<UnreadLimits> = {}) {
    this.#clock = clock;
    this.#limits = { ...UNREAD_LIMITS, ...limits };
  }

  get bytes(): number {
    this.#recountAll();
    return this.#bytes;
  }

  /** Watches every connection of this server from now on. */
  watch(server: Server): void {
    server.on('connection', (socket: Socket) => {
      this.#lines.add(this.lineOf(socket));
      this.#looking ??= this.#clock.every(LOOK_EVERY_MS, () => this.#look());
      socket.on('close', () => {
        const { [LINE]: line } = socket as Lined;
        if (line === undefined) return;
        line.end();
        this.#leave(line);
      });
    });
  }

  /** The stream watches its own sockets; those it rejects stay watched here. */
  handOver(
    server: Server,
    onUpgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void,
  ): void {
    server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      const line = this.lineOf(request.socket);
      // The stream's frames would stand in the middle of an answer.
      if (line.isAnswering) return void socket.destroy();
      onUpgrade(request, socket, head);
      if (socket.writableEnded) return;
      this.#leave(line);
      (socket as Lined)[LINE] = undefined;
    });
  }

  /** Also for a connection that is not watched: no output is ever pending there. */
  lineOf(of: Duplex): AnswerLine {
    const socket = of as Socket & Lined;
    socket[LINE] ??= new AnswerLine(this, socket, neighbourhood(socket.remoteAddress ?? ''));
    return socket[LINE];
  }

  /** Called before a request is handled: null, or resolves when the answers before it have left. */
  turn(socket: Socket, response: ServerResponse): Promise<void> | null {
    return this.lineOf(socket).turn(response);
  }

  /** From now on the connection's present answer counts for this holder. Throws if the holder has too much. */
  requireRoom(socket: Socket, holder: string): void {
    this.lineOf(socket).holder = holder;
    if (this.hasRoom(holder)) return;
    throw new ProblemError(
      'CAPACITY',
      'Responses to your earlier requests are still unread. Read them, or close their connections.',
      { headers: { 'retry-after': String(RETRY_AFTER_S) } },
    );
  }

  recount(line: AnswerLine): void {
    const isMore = this.#count(line);
    if (isMore && this.#bytes > this.#limits.allMax) this.#takeFromWhoHasMost();
  }

  hasRoom(name: string): boolean {
    const holder = this.#holders.get(name);
    if (holder === undefined || holder.bytes < this.#limits.eachMax) return true;
    for (const line of [...holder.lines]) this.#count(line);
    return holder.bytes < this.#limits.eachMax;
  }

  async room(line: AnswerLine): Promise<void> {
    if (line.isOver) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#holderOf(line.holder).waiting.set(line, resolve);
    this.#waiting += 1;
    await promise;
  }

  cut(line: AnswerLine, reason: CutReason): void {
    if (line.isOver) return;
    this.cutTotal[reason] += 1;
    const { socket } = line;
    // A reset: the system drops its buffers, and the client sees that the answer is incomplete.
    if (socket.writableLength > 0) socket.resetAndDestroy();
    else socket.destroy();
    line.end();
  }

  #leave(line: AnswerLine): void {
    this.#lines.delete(line);
    if (this.#lines.size > 0) return;
    this.#looking?.[Symbol.dispose]();
    this.#looking = null;
  }

  #holderOf(name: string): Holder {
    return this.#holders.getOrInsertComputed(name, () => ({
      bytes: 0,
      lines: new Set(),
      waiting: new Map(),
    }));
  }

  #look(): void {
    for (const line of [...this.#lines]) {
      if (line.isTooSlow()) this.cut(line, 'stalled');
      else this.#count(line);
    }
  }

  #recountAll(): void {
    for (const holder of [...this.#holders.values()]) {
      for (const line of [...holder.lines]) this.#count(line);
    }
  }

  /** Whether it has grown. */
  #count(line: AnswerLine): boolean {
    const before = line.counted;
    const { holder, unsent: bytes } = line;
    // Most answers are taken whole as they are written.
    if (before.bytes === 0 && bytes === 0 && this.#waiting === 0) return false;
    if (before.bytes > 0 || bytes > 0) {
      line.counted = { holder, bytes };
      this.#add(line, before.holder, -before.bytes);
      this.#add(line, holder, bytes);
      if (holder !== before.holder) this.#tidy(before.holder);
    }
    if (line.isOver) this.#wake(holder, line);
    this.#wakeNext(holder);
    this.#tidy(holder);
    return bytes > before.bytes;
  }

  #add(line: AnswerLine, name: string, bytes: number): void {
    if (bytes === 0) return;
    const holder = this.#holderOf(name);
    holder.bytes += bytes;
    this.#bytes += bytes;
    if (bytes > 0) holder.lines.add(line);
    else holder.lines.delete(line);
  }

  /** One stream resumes at a time: its next bytes are counted before another one resumes. */
  #wakeNext(name: string): void {
    const holder = this.#holders.get(name);
    if (holder === undefined || holder.bytes >= this.#limits.eachMax) return;
    const next = holder.waiting.keys().next().value;
    if (next !== undefined) this.#wake(name, next);
  }

  #wake(name: string, line: AnswerLine): void {
    const waiting = this.#holders.get(name)?.waiting;
    waiting?.get(line)?.();
    if (waiting?.delete(line) === true) this.#waiting -= 1;
  }

  #tidy(name: string): void {
    const holder = this.#holders.get(name);
    if (holder?.lines.size === 0 && holder.waiting.size === 0) this.#holders.delete(name);
  }

  #takeFromWhoHasMost(): void {
    this.#recountAll();
    while (this.#bytes > this.#limits.allMax) {
      let most: Holder | null = null;
      for (const holder of this.#holders.values()) {
        if (most === null || holder.bytes > most.bytes) most = holder;
      }
      this.cut(stalledLongest(most!.lines), 'share');
    }
  }
}

function stalledLongest(lines: ReadonlySet<AnswerLine>): AnswerLine {
  return [...lines].reduce((worst, line) => {
    const longer = line.looksWithoutProgress - worst.looksWithoutProgress;
    return longer > 0 || (longer === 0 && line.counted.bytes > worst.counted.bytes) ? line : worst;
  });
}
