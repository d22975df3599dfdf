/** What a node says of itself with every beat, for `tapeloom cluster status`. */

import type { NodeReport } from '../../accounts/shared/known-nodes.ts';
import { SHARED_TAPE_ROLES, type SharedTapeReport } from '../../tape/shared/shared-tape-report.ts';

export interface NodeSelf {
  /** Null until the ingest thread has told. */
  readonly tape: SharedTapeReport | null;
  /** How far its tape is behind the clock; null: not known yet. */
  readonly lagMs: number | null;
  readonly connections: number;
  /** Why a customer would not be served; null when he would. */
  readonly notReady: string | null;
}

export function nodeReport(self: NodeSelf): NodeReport {
  return { ...self };
}

/** Another node's, perhaps of another version: what is not there is not known. */
export function readNodeReport(report: NodeReport): NodeSelf & { readonly offsetMs: number } {
  const { tape, lagMs, connections, notReady, offsetMs } = report;
  return {
    tape: isTapeReport(tape) ? tape : null,
    lagMs: typeof lagMs === 'number' ? lagMs : null,
    connections: typeof connections === 'number' ? connections : 0,
    notReady: typeof notReady === 'string' ? notReady : null,
    offsetMs: typeof offsetMs === 'number' ? offsetMs : 0,
  };
}

function isTapeReport(value: unknown): value is SharedTapeReport {
  if (typeof value !== 'object' || value === null) return false;
  const { role, sequence, end } = value as Partial<SharedTapeReport>;
  const isKnown = SHARED_TAPE_ROLES.some((known) => known === role);
  return isKnown && typeof sequence === 'number' && typeof end === 'number';
}
