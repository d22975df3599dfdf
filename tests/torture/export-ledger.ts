/**
 * What one account must have been charged, held against its usage after every response. A start costs its
 * estimate, once, and a resume nothing. A response that came to its end costs exactly the bytes that came;
 * one that was cut what the service had handed to its socket: at least what came, but for a last piece
 * that did not leave as a whole, and no more than the file has.
 *
 * An account downloads one thing at a time, so that every change of its usage has one cause.
 */

import { setTimeout as pause } from 'node:timers/promises';
import type { Fetched, Wire } from './export-client.ts';
import type { ExportedQuery } from './export-queries.ts';

/** What `streamed-answer.ts` writes at once. */
const PIECE_BYTES = 65_536;
/** A resume may cut a frame, whose rest is compressed anew and not quite as well. */
const RECOMPRESSED = 1.1;
const LOOK_EVERY_MS = 5;
const LOOKS_MAX = 4_000;

interface Counts {
  readonly computeUnits: number;
  readonly exportBytes: number;
}

interface Usage {
  readonly used: Counts & { readonly restRequests: number };
  readonly reserved: Counts;
}

/** One response, as the client saw it. */
export interface Response {
  readonly query: ExportedQuery;
  readonly isStart: boolean;
  readonly fetched: Fetched;
  /** How often the service had been killed when it was asked for. */
  readonly kills: number;
}

/** A service that is killed now and then. */
export interface KilledService {
  /** How often so far; counted before it happens. */
  readonly kills: number;
  /** Resolves when it runs. */
  readonly up: Promise<unknown>;
}

export class ExportLedger {
  readonly #wire: Wire;
  readonly #service: KilledService;
  /**
   * How things stood after a kill, before anything was asked: what was reserved stays so for a while, and
   * requests that were counted last may be lost.
   */
  #left = { kills: 0, computeUnits: 0, exportBytes: 0, restRequests: 0 };
  /** Requests since then: all that were sent are counted in the end, once they have reserved. */
  #requests = 0;
  #used: Counts = { computeUnits: 0, exportBytes: 0 };

  constructor(wire: Wire, service: KilledService) {
    this.#wire = wire;
    this.#service = service;
  }

  get used(): Counts {
    return this.#used;
  }

  /** Before a response is asked for, while nothing of this account runs; answers the kills so far. */
  async ready(): Promise<number> {
    for (;;) {
      await this.#service.up;
      const { kills } = this.#service;
      if (this.#left.kills === kills) return kills;
      await this.#settled();
    }
  }

  /** What is wrong with what the response cost, if anything. */
  async charge(response: Response): Promise<string | null> {
    this.#requests += 1;
    const { computeUnits, exportBytes } = await this.#settled();
    // What a cut response cost may be lost when the service was killed.
    const isKilled = this.#service.kills > response.kills;
    const units = computeUnits - this.#used.computeUnits;
    const bytes = exportBytes - this.#used.exportBytes;
    this.#used = { computeUnits, exportBytes };
    const allowed = unitsAllowed(response);
    if (!allowed.includes(units)) return `${units} units were charged, not ${allowed.join(' or ')}`;
    const { least, most } = bytesAllowed(response, isKilled);
    if (bytes >= least && bytes <= most) return null;
    return `${bytes} bytes were charged, not ${least} to ${most}`;
  }

  /** The usage once nothing runs any more. */
  async #settled(): Promise<Counts> {
    let last = '';
    for (let look = 0; look < LOOKS_MAX; look += 1) {
      await this.#service.up;
      const { kills } = this.#service;
      // A request that meets a kill fails, and is made again.
      const usage = await this.#read().catch(() => null);
      if (usage !== null && kills === this.#service.kills) {
        const { used, reserved } = usage;
        const { restRequests } = used;
        if (this.#left.kills < kills) {
          this.#left = { kills, ...reserved, restRequests };
          this.#requests = 0;
        }
        const isOver =
          restRequests >= this.#left.restRequests + this.#requests &&
          reserved.computeUnits <= this.#left.computeUnits &&
          reserved.exportBytes <= this.#left.exportBytes;
        last = JSON.stringify({ restRequests, reserved, left: this.#left, asked: this.#requests });
        this.#requests += 1;
        if (isOver) return used;
      }
      await pause(LOOK_EVERY_MS);
    }
    throw new Error(`a response is not over long after its client has gone: ${last}`);
  }

  async #read(): Promise<Usage> {
    const { port, key } = this.#wire;
    const headers = { authorization: `Bearer ${key}` };
    for (;;) {
      const answer = await fetch(`http://127.0.0.1:${port}/v1/usage`, { headers });
      if (answer.status === 429) {
        await pause(Number(answer.headers.get('retry-after')) * 1_000);
        continue;
      }
      const { used, limits, remaining } = (await answer.json()) as {
        readonly used: Usage['used'];
        readonly limits: { readonly computeBudget: number; readonly exportBytes: number };
        readonly remaining: Counts;
      };
      return {
        used,
        reserved: {
          computeUnits: limits.computeBudget - used.computeUnits - remaining.computeUnits,
          exportBytes: limits.exportBytes - used.exportBytes - remaining.exportBytes,
        },
      };
    }
  }
}

function unitsAllowed({ query, isStart, fetched }: Response): readonly number[] {
  if (!isStart || fetched.t === 'refused') return [0];
  // Who has heard nothing cannot know whether it had started.
  return fetched.t === 'heard' ? [query.units] : [0, query.units];
}

function bytesAllowed(
  { query, fetched }: Response,
  isKilled: boolean,
): { readonly least: number; readonly most: number } {
  if (fetched.t === 'refused') return { least: 0, most: 0 };
  if (fetched.t === 'heard' && fetched.isEnded) {
    return { least: fetched.body.length, most: fetched.body.length };
  }
  const most = Math.ceil(query.bytes * RECOMPRESSED) + PIECE_BYTES;
  if (isKilled || fetched.t === 'unheard') return { least: 0, most };
  return { least: Math.max(0, fetched.body.length - PIECE_BYTES), most };
}
