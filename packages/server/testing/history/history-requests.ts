/** A customer's history requests to a `RestService`, with checks that every response must pass. */

import assert from 'node:assert/strict';
import { compareCursors, parseCursor } from '@tapeloom/core/cursor';
import type { EpochNs } from '@tapeloom/core/numbers';
import type { ErrorCode } from '@tapeloom/protocol/error-codes';
import type { Problem } from '@tapeloom/protocol/problem';
import type { Route } from '../../src/http/server/route.ts';
import { checkProblem } from '../rest/problem-check.ts';
import { DOCS_URL, type RestService } from '../rest/rest-service.ts';

export type Fields = Readonly<Record<string, string>>;
export type HistoryPath = '/v1/history' | '/v1/history/estimate' | '/v1/export';
type Sources = RestService['sources'];

/** Two whole days. */
export const RANGE: Fields = {
  instrument: 'ESZ6',
  indicator: 'bars',
  from: '2026-11-09',
  to: '2026-11-11',
};
export const TICK_BARS = JSON.stringify({ bar: 'tick', size: 2 });

export interface HistoryItem {
  readonly t: 'snapshot' | 'upsert' | 'remove';
  readonly cursor: string;
  readonly id?: string;
  readonly final?: boolean;
  readonly ts?: string;
  readonly data?: unknown;
  readonly items?: readonly { readonly id: string; readonly final: boolean }[];
}
export interface Page {
  readonly instrument: string;
  readonly contract: string;
  readonly tickSizeNanos: number;
  readonly to?: string;
  readonly untilCursor?: string;
  readonly lookBackFrom: string | null;
  readonly gaps?: readonly unknown[];
  readonly gapsTotal?: number;
  readonly snapshot?: true;
  readonly items: readonly HistoryItem[];
  readonly next: string | null;
  readonly computeUnits: number;
}
export interface Estimate {
  readonly instrument: string;
  readonly contract: string;
  readonly computeUnits: number;
  readonly trades: number;
  readonly days: number;
  readonly missingDays: readonly string[];
  readonly missingDaysTotal: number;
  readonly lookBackFrom: string | null;
  readonly gaps?: readonly unknown[];
  readonly gapsTotal?: number;
  readonly remainingComputeUnits: number;
}
export interface Usage {
  readonly used: {
    readonly computeUnits: number;
    readonly historyItems: number;
    readonly exportBytes: number;
  };
  readonly remaining: { readonly computeUnits: number; readonly exportBytes: number };
  readonly limits: { readonly computeBudget: number; readonly exportBytes: number };
  readonly resetsAt: string;
}

export function address(path: string, fields: Fields): string {
  return `${path}?${new URLSearchParams(fields)}`;
}

export type AnswerCheck = (route: Route, body: unknown) => void;

export class HistoryReader {
  readonly service: RestService;
  readonly key: string;
  readonly #check: AnswerCheck;

  /** `check` validates every response against its route, if given. */
  constructor(service: RestService, key: string, check: AnswerCheck = () => {}) {
    this.service = service;
    this.key = key;
    this.#check = check;
  }

  with(key: string): HistoryReader {
    return new HistoryReader(this.service, key, this.#check);
  }

  page(fields: Fields): Promise<Page> {
    return this.#ask('/v1/history', fields);
  }

  estimate(fields: Fields): Promise<Estimate> {
    return this.#ask('/v1/history/estimate', fields);
  }

  /** All pages in sequence. */
  async walk(fields: Fields): Promise<readonly Page[]> {
    const pages = [await this.page(fields)];
    for (let cursor = pages[0]!.next; cursor !== null; cursor = pages.at(-1)!.next) {
      pages.push(await this.page({ ...fields, cursor }));
    }
    return pages;
  }

  async refused(
    fields: Fields,
    status: number,
    code: ErrorCode,
    path: HistoryPath = '/v1/history',
  ): Promise<Problem & { readonly retryAfter: string | undefined }> {
    const answer = await this.service.get(address(path, fields), { key: this.key });
    const problem = checkProblem(answer, DOCS_URL, { status, code });
    return { ...problem, retryAfter: answer.headers['retry-after'] };
  }

  /** Rejected as invalid, at this field only. */
  async refusedAt(fields: Fields, at: string, path: HistoryPath = '/v1/history'): Promise<Problem> {
    const problem = await this.refused(fields, 400, 'INVALID_PARAMETERS', path);
    assert.deepEqual(
      problem.errors!.map((fault) => fault.path),
      [at],
    );
    return problem;
  }

  async usage(): Promise<Usage> {
    return (await this.service.get<Usage>('/v1/usage', { key: this.key })).body;
  }

  async #ask<T>(path: HistoryPath, fields: Fields): Promise<T> {
    const { status, text, body } = await this.service.get<T>(address(path, fields), {
      key: this.key,
    });
    assert.equal(status, 200, text);
    this.#check(this.service.routes.find((route) => route.path === path)!, body);
    return body;
  }
}

/** Uses a budget until this much is left in the month. */
export async function leave(
  { store, clock }: RestService,
  accountId: string,
  budget: 'computeUnits' | 'exportBytes',
  limit: number,
  left: number,
): Promise<void> {
  const now = clock.now();
  const id = `${budget} of ${accountId}`;
  const amount = limit - left;
  const expiresAt = (now + 1n) as EpochNs;
  const whose = { id, accountId, keyId: 'any', budget, period: '2026-11' };
  const request = { ...whose, amount, limit, testLimit: null, expiresAt };
  assert.ok((await store.reserve(now, request)).granted);
  await store.settle(now, id, { amount });
}

/** The same sources, with another way to read settled days. */
export function readingBy({ days, replays }: Sources, read: Sources['days']['read']): Sources {
  return {
    replays,
    days: {
      read,
      cover: (...of) => days.cover(...of),
    },
  };
}

export function compare(a: string, b: string): number {
  return compareCursors(parseCursor(a)!, parseCursor(b)!);
}
