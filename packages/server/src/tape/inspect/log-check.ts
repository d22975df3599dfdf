/**
 * Checks a log beyond checksums: ranks without holes, ascending stamps on the day and not before watermarks, ranges, and
 * gaps that change nothing before the watermark.
 */

import type { UtcDay } from '@tapeloom/core/numbers';
import { DAY_NS } from '@tapeloom/core/units';
import { epochNs } from '@tapeloom/core/utc-day';
import { gapSpans } from '../gap-spans.ts';
import type { DaySpan } from '../tape.ts';
import type { Commit, CommitSection, Opening } from '../write/log/log-payload.ts';
import type { LogVisitor } from '../write/log/log-recovery.ts';
import { KeptNotes } from '../write/notes/kept-notes.ts';
import type { LoggedGap } from '../write/notes/logged-note.ts';

interface ContractEnd {
  readonly symbol: string;
  rank: number;
  lastNs: number;
}

export class LogCheck implements LogVisitor {
  readonly findings: string[] = [];
  opened: Opening | null = null;
  readonly notes = new KeptNotes();
  #promiseNs = 0;
  readonly #contracts: ContractEnd[] = [];

  /** Trades per contract. */
  get contracts(): readonly { readonly symbol: string; readonly rank: number }[] {
    return this.#contracts;
  }

  opening(opening: Opening): void {
    this.opened = opening;
    this.#promiseNs = opening.promiseNs;
    for (const { symbol } of opening.contracts) this.#add(symbol);
    for (const note of opening.notes) if (note.kind === 'gap') this.#checkNamed(note);
    this.notes.replace(opening.notes);
  }

  /** What a contract lacks on the day, up to the last watermark. */
  gapsOf(symbol: string, day: UtcDay): readonly DaySpan[] {
    return gapSpans(this.notes.gaps, symbol, day, epochNs(day, this.#promiseNs));
  }

  commit(commit: Commit): boolean {
    for (const { index, symbol } of commit.contracts) {
      if (index !== this.#contracts.length) return false;
      this.#add(symbol);
    }
    for (const section of commit.sections) {
      const contract = this.#contracts[section.index];
      if (contract === undefined || section.firstRank !== contract.rank + 1) return false;
      this.#check(section, contract);
    }
    for (const note of commit.notes) {
      if (note.kind === 'gap') this.#checkGap(note);
      this.notes.apply([note]);
    }
    if (commit.promiseNs < this.#promiseNs || commit.promiseNs > DAY_NS) return false;
    this.#promiseNs = commit.promiseNs;
    return true;
  }

  #check({ ts, size, side, count }: CommitSection, contract: ContractEnd): void {
    let { rank, lastNs } = contract;
    for (let row = 0; row < count; row++) {
      rank += 1;
      const stampNs = ts[row]!;
      if (!(stampNs >= lastNs && stampNs >= this.#promiseNs && stampNs < DAY_NS)) {
        this.findings.push(`${contract.symbol} rank ${rank}: time ${stampNs} is out of order`);
      }
      if (size[row]! < 1 || side[row]! < -1 || side[row]! > 1) {
        this.findings.push(`${contract.symbol} rank ${rank}: size or side is out of range`);
      }
      lastNs = stampNs;
    }
    contract.rank = rank;
    contract.lastNs = lastNs;
  }

  #checkGap(note: LoggedGap): void {
    this.#checkNamed(note);
    const { symbol, from, to } = note.gap;
    const watermark = epochNs(this.opened!.day, this.#promiseNs);
    const before = this.notes.find(symbol, from);
    const isShown = before === null ? from < watermark : before.gap.from !== from;
    const isFinal = before !== null && before.gap.to !== null && before.gap.to < watermark;
    if (isShown || isFinal || (to !== null && to < watermark)) {
      this.findings.push(`${symbol}: the gap from ${from} changes what was before the watermark`);
    }
  }

  #checkNamed({ gap: { symbol, from, to } }: LoggedGap): void {
    if (!this.#contracts.some((contract) => contract.symbol === symbol)) {
      this.findings.push(
        `${symbol}: the gap from ${from} is of a contract that the log does not name`,
      );
    }
    if (to !== null && to < from) {
      this.findings.push(`${symbol}: the gap from ${from} ends before it begins`);
    }
  }

  #add(symbol: string): void {
    this.#contracts.push({ symbol, rank: 0, lastNs: 0 });
  }
}
