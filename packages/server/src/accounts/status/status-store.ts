/**
 * The part of the account store about the service's own state over time: spans in which one node observed one state. It
 * is in this store because all nodes share it and it survives a killed process.
 */

import type { EpochNs } from '@tapeloom/core/numbers';
import type { StatusSpan } from '@tapeloom/core/status/status-history';

export interface StatusStore {
  /**
   * Records an observation. It extends the node's last span if that has the same state and ended within
   * `STATUS_GAP_NS`; otherwise it begins another.
   */
  noteStatus(span: StatusSpan): Promise<void>;
  /** Spans that end after this instant; if there are too many, the newest. */
  statusSpans(after: EpochNs): Promise<readonly StatusSpan[]>;
}
