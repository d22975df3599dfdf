/**
 * One market profile per session. A trade is an update only if it changes the profile: it is the first in its row and
 * bracket, or makes a new high or low. The profile is final at the close.
 */

import type { Rank, UtcDay } from '../numbers.ts';
import { firstRowAt, type TradeBatch } from '../trade-batch.ts';
import { MINUTE_NS } from '../units.ts';
import { epochNsText } from '../utc-day.ts';
import { keyPrices, type ProfileRule } from './profile.ts';
import {
  compareMarks,
  type FormingVisitor,
  type Mark,
  type ObjectVersion,
  type Study,
  type StudyOutput,
  type StudySession,
} from './study.ts';
import { type LetteredRows, TpoRows } from './tpo-rows.ts';

export interface TpoRule extends ProfileRule {
  readonly group: number;
  readonly bracketMinutes: number;
  readonly initialBalanceMinutes: number;
}

export class TpoStudy implements Study {
  readonly warm = true;
  readonly dueNs = Number.POSITIVE_INFINITY;
  readonly #rule: TpoRule;
  readonly #rows: TpoRows;
  readonly #mark: Mark = { day: 0 as UtcDay, rank: 0 as Rank, k: 0 };
  #output: StudyOutput | null = null;
  #origin = 0 as UtcDay;
  #openNs = 0;
  #bracket = 0;
  #bracketEndNs = 0;
  /** The session's first trade; null before it. */
  #id: string | null = null;
  #high = 0;
  #low = 0;
  #balanceHigh: number | null = null;
  #balanceLow: number | null = null;

  constructor(rule: TpoRule) {
    this.#rule = rule;
    this.#rows = new TpoRows(rule.group);
  }

  openSession(session: StudySession, output: StudyOutput): void {
    this.#output = output;
    this.#origin = session.origin;
    this.#openNs = session.openNs;
    this.#bracketEndNs = session.openNs;
    this.#id = null;
    this.#high = Number.NEGATIVE_INFINITY;
    this.#low = Number.POSITIVE_INFINITY;
    this.#balanceHigh = null;
    this.#balanceLow = null;
    this.#rows.clear();
  }

  apply(batch: TradeBatch, from: number, to: number, offsetNs: number): number {
    let row = from;
    while (row < to) {
      this.#enterBracket(batch.ts[row]! + offsetNs);
      const next = firstRowAt(batch.ts, row, to, this.#bracketEndNs - offsetNs);
      this.#addRows(batch, row, next, offsetNs);
      row = next;
    }
    return this.#mark.rank === batch.firstRank + to - 1 && this.#mark.day === batch.day ? 1 : 0;
  }

  fire(): number {
    throw new Error('a market profile has nothing due');
  }

  closeSession(entry: Readonly<Mark>): number {
    if (this.#id === null) return entry.k;
    this.#output!.upsert(this.#version(true), entry.rank, entry.k + 1);
    this.#id = null;
    return entry.k + 1;
  }

  forming(since: Readonly<Mark> | null, visit: FormingVisitor): void {
    if (this.#id === null) return;
    if (since !== null && compareMarks(this.#mark, since) <= 0) return;
    visit(this.#version(false), this.#mark);
  }

  #enterBracket(ns: number): void {
    if (ns < this.#bracketEndNs) return;
    const bracketNs = this.#rule.bracketMinutes * MINUTE_NS;
    this.#bracket = Math.floor((ns - this.#openNs) / bracketNs);
    this.#bracketEndNs = this.#openNs + (this.#bracket + 1) * bracketNs;
  }

  /** Rows of one bracket. */
  #addRows(batch: TradeBatch, from: number, to: number, offsetNs: number): void {
    const { price } = batch;
    const rows = this.#rows;
    const bracket = this.#bracket;
    for (let row = from; row < to; row += 1) {
      const ticks = price[row]!;
      const isNew = rows.add(ticks, bracket);
      if (isNew || ticks > this.#high || ticks < this.#low) this.#change(batch, row, offsetNs);
    }
  }

  #change(batch: TradeBatch, row: number, offsetNs: number): void {
    const ticks = batch.price[row]!;
    const balanceEndNs = this.#openNs + this.#rule.initialBalanceMinutes * MINUTE_NS;
    this.#mark.day = batch.day;
    this.#mark.rank = (batch.firstRank + row) as Rank;
    this.#mark.k = 1;
    this.#id ??= `${batch.day}.${batch.firstRank + row}`;
    this.#high = Math.max(this.#high, ticks);
    this.#low = Math.min(this.#low, ticks);
    if (batch.ts[row]! + offsetNs < balanceEndNs) {
      this.#balanceHigh = this.#high;
      this.#balanceLow = this.#low;
    }
  }

  #version(final: boolean): ObjectVersion {
    const rows = this.#rows.rows();
    return {
      id: this.#id!,
      final,
      ts: epochNsText(this.#origin, this.#openNs),
      data: {
        rows: Array.from(rows.letters, (letters, row) => [rows.price[row]!, letters]),
        ...keyPrices(rows, this.#rule),
        ibHigh: this.#balanceHigh,
        ibLow: this.#balanceLow,
        singles: singles(rows),
        high: this.#high,
        low: this.#low,
      },
    };
  }
}

function singles(rows: LetteredRows): number[] {
  const prices: number[] = [];
  for (let row = 0; row < rows.count; row += 1) {
    if (rows.total[row] === 1) prices.push(rows.price[row]!);
  }
  return prices;
}
