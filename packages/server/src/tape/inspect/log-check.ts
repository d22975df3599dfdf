/** Checks a log beyond checksums: ranks without gaps, ascending stamps on the day and not before watermarks, ranges. */

import { DAY_NS } from '@tapeloom/core/units';
import type { Commit, CommitSection, Opening } from '../write/log/log-payload.ts';
import type { LogVisitor } from '../write/log/log-recovery.ts';

interface ContractEnd {
  readonly symbol: string;
  rank: number;
  lastNs: number;
}

export class LogCheck implements LogVisitor {
  readonly findings: string[] = [];
  opened: Opening | null = null;
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

  #add(symbol: string): void {
    this.#contracts.push({ symbol, rank: 0, lastNs: 0 });
  }
}
