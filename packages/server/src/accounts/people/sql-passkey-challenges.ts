/** Challenges that passkeys sign: counted before they are made, and used up by the statement that validates them. */

import type { EpochNs } from '@tapeloom/core/numbers';
import { countedUntil, latest } from '../store/sound-times.ts';
import { removed, type Sql } from '../store/sql-database.ts';
import {
  CHALLENGE_VALID_NS,
  CHALLENGES_MAX,
  CHALLENGES_OPEN_MAX,
  type NewChallenge,
} from './passkeys-store.ts';
import type { TooMany } from './people-store.ts';
import { takeTurn } from './sql-people-links.ts';

export async function addChallenge(
  sql: Sql,
  now: EpochNs,
  hash: string,
  asked: NewChallenge,
): Promise<{ readonly expiresAt: EpochNs } | TooMany> {
  const { purpose, sessionId, askedBy } = asked;
  // The first check writes nothing, so requests over the limit cost little.
  const early = await tooMany(sql, now, asked);
  if (early !== null) return early;
  await takeTurn(sql, now, `challenges of ${askedBy}`);
  const refused = await tooMany(sql, now, asked);
  if (refused !== null) return refused;
  const expiresAt = (now + CHALLENGE_VALID_NS) as EpochNs;
  await sql
    .insertInto('passkey_challenges')
    .values({
      hash,
      purpose,
      session_id: sessionId,
      asked_by: askedBy,
      created_at: now,
      expires_at: expiresAt,
    })
    .execute();
  return { expiresAt };
}

/** Visitors who are not signed in share a limit, so that they cannot fill the table; it does not affect sessions. */
async function tooMany(
  sql: Sql,
  now: EpochNs,
  { askedBy, sessionId }: NewChallenge,
): Promise<TooMany | null> {
  const open = sql
    .selectFrom('passkey_challenges')
    .select('created_at')
    .where('created_at', '>', now - CHALLENGE_VALID_NS)
    .where('created_at', '<=', latest(now))
    .orderBy('created_at', 'desc');
  const limits: [of: typeof open, max: number][] = [
    [open.where('asked_by', '=', askedBy), CHALLENGES_OPEN_MAX],
  ];
  if (sessionId === null) limits.push([open.where('session_id', 'is', null), CHALLENGES_MAX]);
  for (const [of, max] of limits) {
    // The oldest of the newest `max`.
    const last = await of
      .offset(max - 1)
      .limit(1)
      .executeTakeFirst();
    if (last === undefined) continue;
    return { refused: 'too-many', until: countedUntil(last.created_at, CHALLENGE_VALID_NS, now) };
  }
  return null;
}

export async function useChallenge(
  sql: Sql,
  now: EpochNs,
  hash: string,
  { purpose, sessionId }: Pick<NewChallenge, 'purpose' | 'sessionId'>,
): Promise<boolean> {
  const used = await sql
    .deleteFrom('passkey_challenges')
    .where('hash', '=', hash)
    .where('purpose', '=', purpose)
    .where('session_id', sessionId === null ? 'is' : '=', sessionId)
    .where('expires_at', '>', now)
    .where('created_at', '<=', latest(now))
    .returning('hash')
    .executeTakeFirst();
  return used !== undefined;
}

/** Removes some challenges that are over or made by a clock that was ahead; returns how many. */
export async function forgetChallenges(sql: Sql, now: EpochNs, limit: number): Promise<number> {
  const over = sql
    .selectFrom('passkey_challenges')
    .select('hash')
    .where((eb) =>
      eb.or([eb('created_at', '<=', now - CHALLENGE_VALID_NS), eb('created_at', '>', latest(now))]),
    )
    .limit(limit);
  return removed(await sql.deleteFrom('passkey_challenges').where('hash', 'in', over).execute());
}
