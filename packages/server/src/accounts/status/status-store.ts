/**
 * The part of the account store about the service's own state over time: spans in which one node saw one state. It is here
 * because all nodes of a cluster share this store, and because it outlasts a process that is killed.
 */

import type { EpochNs } from '@tapeloom/core/numbers';
import type { StatusSpan } from '@tapeloom/core/status/status-history';

export interface StatusStore {
  /**
   * Notes what a node saw. It lengthens the node's last span where that has the same state and ended within
   * `STATUS_GAP_NS`, and begins another one otherwise.
   */
  noteStatus(span: StatusSpan): Promise<void>;
  /** Those that end after this instant; where there are too many, the newest. */
  statusSpans(after: EpochNs): Promise<readonly StatusSpan[]>;
}
