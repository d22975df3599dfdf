/**
 * A cutter turns the trades of a session into bars of one kind. It hands whole runs of rows to the
 * current bar, so that the content's hot loop sees typed arrays and not single trades. All kinds start
 * afresh at a session's open; none makes a bar without a trade, save empty renko bricks.
 */

import type { TradeBatch } from '../../trade-batch.ts';
import type { StudySession } from '../study.ts';

export interface BarCutter {
  /** When the forming bar ends by the clock; Infinity for kinds that only trades end. */
  readonly endNs: number;
  openSession(session: StudySession): void;
  apply(batch: TradeBatch, from: number, to: number, offsetNs: number): void;
}
