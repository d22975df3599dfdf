/** People over a SQL database; see `people-store.ts`. */

import type { SqlStore } from '../store/sql-store.ts';
import type { PeopleStore } from './people-store.ts';
import { forgetChallenges } from './sql-passkey-challenges.ts';
import * as deletions from './sql-people-deletions.ts';
import * as links from './sql-people-links.ts';
import * as marks from './sql-people-marks.ts';
import * as owners from './sql-people-owners.ts';
import * as sessions from './sql-people-sessions.ts';
import { forgetBirths, signIn } from './sql-people-sign-in.ts';

/** Housekeeping of people's data, some rows at a time. */
export const FORGOTTEN_PEOPLE = [
  links.forgetLinks,
  links.forgetTurns,
  sessions.forgetSessions,
  forgetBirths,
  forgetChallenges,
] as const;

export function sqlPeople(store: SqlStore): PeopleStore {
  return {
    ownerOf: store.reads((sql, accountId) => owners.findOwner(sql, 'account_id', accountId)),
    ownerByEmail: store.reads((sql, emailKey) => owners.findOwner(sql, 'email_key', emailKey)),
    listOwners: store.reads(owners.listOwners),
    setOwner: store.writes(owners.setOwner),
    setUsageMails: store.changes(owners.setUsageMails),
    addLink: store.changes(links.addLink),
    findLink: store.reads(links.findLink),
    useClaim: store.changes(owners.useClaim),
    signIn: store.writes((writing, now, hash, session, use) => {
      const ids = { session: store.newId('ses'), account: store.newId('acc') };
      return signIn(writing, now, hash, session, use ?? null, ids);
    }),
    approveEmail: store.changes(owners.approveEmail),
    changeEmail: store.writes(owners.changeEmail),
    findSession: store.reads(sessions.findSession),
    sessionsOf: store.reads(sessions.sessionsOf),
    touchSession: store.changes((sql, _accountId, sessionId, now) =>
      sessions.touchSession(sql, sessionId, now),
    ),
    endSession: store.writes(sessions.endSession),
    endOtherSessions: store.writes(sessions.endSessions),
    marksOf: store.reads(marks.marksOf),
    setMark: store.changes(marks.setMark),
    markStreamed: store.changes(marks.markStreamed),
    deletionOf: store.reads(deletions.deletionOf),
    askDeletion: store.writes(deletions.askDeletion),
    withdrawDeletion: store.writes(deletions.withdrawDeletion),
    deletionsDue: store.reads(deletions.deletionsDue),
    deleteAccount: store.writes(deletions.deleteAccount),
  };
}
