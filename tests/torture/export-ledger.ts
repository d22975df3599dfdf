/**
 * Compares the usage of one account with its expected charges after every response. A start costs
 * its estimate once, a resume nothing. A complete response costs its exact bytes; a cut one the
 * bytes that the service wrote to its socket: at least the received ones less one piece, at most
 * the file. An account downloads one thing at a time, so each change of usage has one cause.
 */

import { setTimeout as pause } from 'node:timers/promises';
import type { Fetched, Wire } from './export-client.ts';
import type { ExportedQuery } from './export-queries.ts';

/** The bytes that `streamed-answer.ts` writes at once. */
const PIECE_BYTES = 65_536;
/** A resume may start inside a frame, whose rest is compressed again, slightly worse. */
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

export interface Response {
  readonly query: ExportedQuery;
  readonly isStart: boolean;
  readonly fetched: Fetched;
  /** The number of kills before the request. */
  readonly kills: number;
}

export interface KilledService {
  /** The number of kills so far, incremented before each kill. */
  readonly kills: number;
  /** Resolves when the service runs. */
  readonly up: Promise<unknown>;
}

export class ExportLedger {
  readonly #wire: Wire;
  readonly #service: KilledService;
  /** The usage right after a kill: reservations stay for a while, counted requests may be lost. */
  #left = { kills: 0, computeUnits: 0, exportBytes: 0, restRequests: 0 };
  /** Requests since that kill: each is counted in the end, once it has reserved. */
  #requests = 0;
  #used: Counts = { computeUnits: 0, exportBytes: 0 };

  constructor(wire: Wire, service: KilledService) {
    this.#wire = wire;
    this.#service = service;
  }

  get used(): Counts {
    return this.#used;
  }

  /** Call before each request, when no other of this account runs; returns the kills so far. */
  async ready(): Promise<number> {
    for (;;) {
      await this.#service.up;
      const { kills } = this.#service;
      if (this.#left.kills === kills) return kills;
      await this.#settled();
    }
  }

  /** Returns what is wrong with the charge for a response, or null. */
  async charge(response: Response): Promise<string | null> {
    this.#requests += 1;
    const { computeUnits, exportBytes } = await this.#settled();
    // A kill of the service may lose the charge of a cut response.
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

  /** Returns the usage when no request runs any more. */
  async #settled(): Promise<Counts> {
    let last = '';
    for (let look = 0; look < LOOKS_MAX; look += 1) {
      await this.#service.up;
      const { kills } = this.#service;
      // A kill fails the request, which is then repeated.
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
  // Without a response the client does not know whether the export started.
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
