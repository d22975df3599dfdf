/** Limits of keys, sign-in and orders. A digit in this file would be a number that nothing enforces: a test refuses it. */

import {
  KEY_NAME_CHARACTERS_MAX,
  RESTRICTION_ENTRIES_MAX,
} from '@tapeloom/core/entitlement/key-rights';
import { PAYMENT_GRACE_NS } from '@tapeloom/core/entitlement/payment';
import {
  ENDED_KEY_SHOWN_NS,
  KEYS_LISTED_MAX,
  KEYS_MADE_MAX,
  KEYS_MADE_NS,
  VALID_KEYS_MAX,
} from '@tapeloom/server/accounts/store/account-store';
import { ORDERS_PLACED_MAX, ORDERS_PLACED_NS } from '@tapeloom/server/accounts/store/orders-store';
import {
  DELETION_GRACE_NS,
  LINK_VALID_NS,
  LINKS_COUNTED_NS,
  LINKS_PER_MAILBOX_MAX,
  LINKS_PER_NEIGHBOURHOOD_MAX,
  NEW_ACCOUNTS_COUNTED_NS,
  NEW_ACCOUNTS_MAX,
  SESSION_VALID_NS,
  SESSIONS_MAX,
} from '@tapeloom/server/accounts/store/people-store';
import { EXPORTS_PER_MINUTE } from '@tapeloom/server/http/portal/account-export-route';
import { GRACE_SECONDS_MAX } from '@tapeloom/server/http/routes/keys-routes';
import type { LimitSection } from './limit-section.ts';
import { count, keysFull, refused, spanOfNs, spanOfSeconds } from './limit-words.ts';

export const KEYS: LimitSection = {
  title: 'Keys',
  lead: 'Live and test keys together; see [keys](keys.md).',
  rows: [
    {
      what: 'valid keys of an account',
      limit: count(VALID_KEYS_MAX),
      beyond: `${keysFull()}; revoke one`,
    },
    {
      what: 'keys made and rotated by your keys',
      limit: `${count(KEYS_MADE_MAX)} in ${spanOfNs(KEYS_MADE_NS)}`,
      beyond: refused('RATE_LIMITED'),
    },
    {
      what: 'keys in the list',
      limit: count(KEYS_LISTED_MAX),
      beyond: refused('RATE_LIMITED'),
    },
    {
      what: 'a key that has ended stays in the list',
      limit: spanOfNs(ENDED_KEY_SHOWN_NS),
      beyond: 'it is listed no more',
    },
    {
      what: 'the old key after a rotation, at most',
      limit: spanOfSeconds(GRACE_SECONDS_MAX),
      beyond: refused('INVALID_PARAMETERS'),
    },
    {
      what: '`instruments` and `allowedIps` of a key',
      limit: `${count(RESTRICTION_ENTRIES_MAX)} of each`,
      beyond: refused('INVALID_PARAMETERS'),
    },
    {
      what: 'the name of a key',
      limit: `${count(KEY_NAME_CHARACTERS_MAX)} characters`,
      beyond: refused('INVALID_PARAMETERS'),
    },
  ],
};

export const PORTAL: LimitSection = {
  title: 'Signing in, and the account',
  lead: '',
  rows: [
    {
      what: 'a sign-in link',
      limit: `${spanOfNs(LINK_VALID_NS)}, once`,
      beyond: refused('UNAUTHORIZED'),
    },
    {
      what: 'links to one mailbox',
      limit: `${count(LINKS_PER_MAILBOX_MAX)} in ${spanOfNs(LINKS_COUNTED_NS)}`,
      beyond: refused('RATE_LIMITED'),
    },
    {
      what: 'links asked for from one address',
      limit: `${count(LINKS_PER_NEIGHBOURHOOD_MAX)} in ${spanOfNs(LINKS_COUNTED_NS)}`,
      beyond: refused('RATE_LIMITED'),
    },
    {
      what: 'accounts made from one address',
      limit: `${count(NEW_ACCOUNTS_MAX)} in ${spanOfNs(NEW_ACCOUNTS_COUNTED_NS)}`,
      beyond: refused('RATE_LIMITED'),
    },
    {
      what: 'a session, from the sign-in on',
      limit: spanOfNs(SESSION_VALID_NS),
      beyond: refused('UNAUTHORIZED'),
    },
    {
      what: 'browsers signed in to an account',
      limit: count(SESSIONS_MAX),
      beyond: 'the oldest session ends',
    },
    {
      what: 'orders of an account',
      limit: `${count(ORDERS_PLACED_MAX)} in ${spanOfNs(ORDERS_PLACED_NS)}`,
      beyond: refused('RATE_LIMITED'),
    },
    {
      what: 'a subscription whose renewal was not paid keeps its rights',
      limit: spanOfNs(PAYMENT_GRACE_NS),
      beyond: 'the plan ends',
    },
    {
      what: 'the data of the account, downloaded',
      limit: `${count(EXPORTS_PER_MINUTE.limit)} a minute`,
      beyond: refused('RATE_LIMITED'),
    },
    {
      what: 'the deletion of the account can be withdrawn',
      limit: spanOfNs(DELETION_GRACE_NS),
      beyond: 'it is done',
    },
  ],
};
