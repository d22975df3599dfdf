/** Slices of allowances from the database that the nodes share; its clock decides how much has been refilled. */

import type { EpochNs } from '@tapeloom/core/numbers';
import type { Postgres } from '../../platform/postgres/postgres.ts';
import { AccountsTroubleError } from '../store/account-store.ts';
import type { SliceGrant, SliceRequest } from './shared-allowances.ts';

interface Row {
  readonly granted: bigint;
  readonly all_spent: bigint | null;
  readonly tests_spent: bigint | null;
}

/** `callers` is for tests. */
export function postgresSlices(
  postgres: Pick<Postgres, 'query'>,
  time: 'database' | 'callers' = 'database',
): (now: EpochNs, request: SliceRequest) => Promise<SliceGrant> {
  return async (now, { who, perMinute, needed, wanted }) => {
    const { limit, testLimit } = perMinute;
    const given = time === 'callers' ? now : null;
    const [row] = await postgres
      .query<Row>({ name: 'allow', text: 'select * from tapeloom_allow($1, $2, $3, $4, $5, $6)' }, [
        given,
        who,
        limit,
        testLimit,
        needed,
        wanted,
      ])
      .catch((error: unknown) => {
        throw new AccountsTroubleError('unreachable', 'requests cannot be counted', {
          cause: error,
        });
      });
    const { granted, all_spent, tests_spent } = row!;
    const parts = (spent: bigint | null) => (spent === null ? null : Number(spent));
    return { granted: Number(granted), allSpent: parts(all_spent), testsSpent: parts(tests_spent) };
  };
}
