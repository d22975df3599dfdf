/**
 * A study whose objects are bars. A cutter decides where bars begin and end, a content accumulates their trades, and
 * this class connects them. At most one bar forms at a time.
 */

import type { TradeBatch } from '../trade-batch.ts';
import { type BarContent, CurrentBar } from './current-bar.ts';
import type { BarCutter } from './cutters/bar-cutter.ts';
import type { FormingVisitor, Mark, Study, StudyOutput, StudySession } from './study.ts';

export class BarStudy implements Study {
  readonly warm = true;
  readonly #bar: CurrentBar;
  readonly #cutter: BarCutter;
  #closeNs = 0;

  constructor(content: BarContent, cutterFor: (bar: CurrentBar) => BarCutter) {
    this.#bar = new CurrentBar(content);
    this.#cutter = cutterFor(this.#bar);
  }

  get dueNs(): number {
    return this.#bar.forming ? this.#cutter.endNs : Number.POSITIVE_INFINITY;
  }

  openSession(session: StudySession, output: StudyOutput): void {
    this.#closeNs = session.closeNs;
    this.#bar.openSession(session, output);
    this.#cutter.openSession(session);
  }

  apply(batch: TradeBatch, from: number, to: number, offsetNs: number): number {
    this.#bar.enter();
    this.#cutter.apply(batch, from, to, offsetNs);
    return this.#bar.k;
  }

  fire(entry: Readonly<Mark>): number {
    return this.#bar.finishAfter(entry, this.#cutter.endNs);
  }

  closeSession(entry: Readonly<Mark>): number {
    return this.#bar.forming ? this.#bar.finishAfter(entry, this.#closeNs) : entry.k;
  }

  forming(since: Readonly<Mark> | null, visit: FormingVisitor): void {
    this.#bar.visit(since, visit);
  }
}
