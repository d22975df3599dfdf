/** All faults of the cluster torture; one fault runs at a time. */

import { CLOCK_FAULTS } from './faults/clocks.ts';
import { CUT_FAULTS } from './faults/cut-lines.ts';
import type { Fault } from './faults/fault.ts';
import { MIDNIGHT_FAULTS } from './faults/midnight.ts';
import { NATS_FAULTS } from './faults/of-nats.ts';
import { NODE_FAULTS } from './faults/of-nodes.ts';
import { POSTGRES_FAULTS } from './faults/of-postgres.ts';
import { STORE_FAULTS } from './faults/of-stores.ts';
import { SLOW_FAULTS } from './faults/slow-lines.ts';

export const FAULTS: readonly Fault[] = [
  ...NODE_FAULTS,
  ...NATS_FAULTS,
  ...STORE_FAULTS,
  ...POSTGRES_FAULTS,
  ...CUT_FAULTS,
  ...SLOW_FAULTS,
  ...CLOCK_FAULTS,
  ...MIDNIGHT_FAULTS,
];
