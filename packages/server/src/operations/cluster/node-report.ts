/** What a node reports with every heartbeat, for `tapeloom cluster status`. */

import type { NodeReport } from '../../accounts/shared/known-nodes.ts';
import { SHARED_TAPE_ROLES, type SharedTapeReport } from '../../tape/shared/shared-tape-report.ts';

export interface NodeSelf {
  /** Null until the ingest thread has reported. */
  readonly tape: SharedTapeReport | null;
  /** How far its tape is behind the clock; null: unknown. */
  readonly lagMs: number | null;
  readonly connections: number;
  /** Why it would not serve a client; null if it would. */
  readonly notReady: string | null;
}

export function nodeReport(self: NodeSelf): NodeReport {
  return { ...self };
}

/** The report of another node, perhaps of another version: absent fields are unknown. */
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
