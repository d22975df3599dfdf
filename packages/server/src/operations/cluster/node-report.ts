/** What a node reports with every heartbeat, for `tapeloom cluster status`. */

import type { NodeReport } from '../../accounts/shared/known-nodes.ts';
import { SHARED_TAPE_ROLES, type SharedTapeReport } from '../../tape/shared/shared-tape-report.ts';

/** A node of version 1.0 reports its only tape without the dataset. */
const UNNAMED = '';

/** Nodes of version 1.0 report neither watermark nor lag. */
export interface NodeTape extends SharedTapeReport {
  /** In nanoseconds since 1970; null: there is none yet. */
  readonly watermark?: string | null;
  /** How far it is behind the clock. */
  readonly lagMs?: number;
}

export interface NodeSelf {
  /** By dataset, for those whose ingest threads have reported. */
  readonly tapes: Readonly<Record<string, NodeTape>>;
  /** How far the tape furthest behind is behind the clock; null: unknown. */
  readonly lagMs: number | null;
  readonly connections: number;
  /** Why it would not serve a client; null if it would. */
  readonly notReady: string | null;
  /** Where others reach its internal port; null: unknown. */
  readonly internalUrl: string | null;
}

export function nodeReport(self: NodeSelf): NodeReport {
  // Nodes of version 1.0 read `tape`.
  const [tape] = Object.values(self.tapes);
  return { ...self, tape: tape ?? null };
}

/** The report of another node, perhaps of another version: absent fields are unknown. */
export function readNodeReport(report: NodeReport): NodeSelf & { readonly offsetMs: number } {
  const { tapes, tape, lagMs, connections, notReady, internalUrl, offsetMs } = report;
  return {
    tapes: tapeReports(tapes ?? { [UNNAMED]: tape }),
    lagMs: typeof lagMs === 'number' ? lagMs : null,
    connections: typeof connections === 'number' ? connections : 0,
    notReady: typeof notReady === 'string' ? notReady : null,
    internalUrl: typeof internalUrl === 'string' ? internalUrl : null,
    offsetMs: typeof offsetMs === 'number' ? offsetMs : 0,
  };
}

export function tapeIn(tapes: NodeSelf['tapes'], dataset: string): NodeTape | null {
  return tapes[dataset] ?? tapes[UNNAMED] ?? null;
}

function tapeReports(tapes: unknown): NodeSelf['tapes'] {
  if (typeof tapes !== 'object' || tapes === null) return {};
  return Object.fromEntries(Object.entries(tapes).filter(([, tape]) => isTapeReport(tape)));
}

function isTapeReport(value: unknown): value is NodeTape {
  if (typeof value !== 'object' || value === null) return false;
  const { role, sequence, end, watermark = null, lagMs = 0 } = value as Partial<NodeTape>;
  const isKnown = SHARED_TAPE_ROLES.some((known) => known === role);
  const isTimed = watermark === null || /^\d{1,20}$/.test(String(watermark));
  const isCounted = typeof sequence === 'number' && typeof end === 'number';
  return isKnown && isCounted && isTimed && typeof lagMs === 'number';
}
