/** Limits of keys, sign-in and orders. Numbers come from the enforcing code: a test fails on a digit in this file. */

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
} from '@tapeloom/server/accounts/keys/keys-store';
import {
  DELETED_KEPT_NS,
  DELETED_LAYOUTS_MAX,
  LAYOUT_BYTES_MAX,
  LAYOUT_NAME_CHARACTERS_MAX,
  LAYOUTS_MAX,
  STATES_KEPT,
} from '@tapeloom/server/accounts/layouts/layouts-store';
import { ORDERS_PLACED_MAX, ORDERS_PLACED_NS } from '@tapeloom/server/accounts/orders/orders-store';
import {
  DELETION_GRACE_NS,
  LINK_VALID_NS,
  LINKS_COUNTED_NS,
  LINKS_PER_MAILBOX_MAX,
  LINKS_PER_NEIGHBOURHOOD_AT_ONCE,
  LINKS_SLOW_NS,
  NEW_ACCOUNTS_AT_ONCE,
  NEW_ACCOUNTS_COUNTED_NS,
  NEW_ACCOUNTS_SLOW_NS,
  SESSION_VALID_NS,
  SESSIONS_MAX,
} from '@tapeloom/server/accounts/people/people-store';
import { EXPORTS_PER_MINUTE } from '@tapeloom/server/http/portal/account/account-export-route';
import { GRACE_SECONDS_MAX } from '@tapeloom/server/http/routes/keys-routes';
import type { LimitSection } from './limit-section.ts';
import { count, keysFull, refused, spanOfNs, spanOfSeconds } from './limit-words.ts';

export const KEYS: LimitSection = {
  title: 'Keys',
  lead: 'Live and test keys together; see [keys](keys.md).',
  rows: [
    ['valid keys of an account', count(VALID_KEYS_MAX), `${keysFull()}; revoke one`],
    [
      'keys created and rotated; the operator can always create more, and those count too',
      `${count(KEYS_MADE_MAX)} in ${spanOfNs(KEYS_MADE_NS)}`,
      refused('RATE_LIMITED'),
    ],
    ['keys in the list', count(KEYS_LISTED_MAX), refused('RATE_LIMITED')],
    ['a key that has ended stays in the list', spanOfNs(ENDED_KEY_SHOWN_NS), 'it leaves the list'],
    [
      'the old key after a rotation, at most',
      spanOfSeconds(GRACE_SECONDS_MAX),
      refused('INVALID_PARAMETERS'),
    ],
    [
      '`instruments` and `allowedIps` of a key',
      `${count(RESTRICTION_ENTRIES_MAX)} of each`,
      refused('INVALID_PARAMETERS'),
    ],
    [
      'the name of a key',
      `${count(KEY_NAME_CHARACTERS_MAX)} characters`,
      refused('INVALID_PARAMETERS'),
    ],
  ],
};

export const PORTAL: LimitSection = {
  title: 'Signing in, and the account',
  lead: '',
  rows: [
    ['a sign-in link', `${spanOfNs(LINK_VALID_NS)}, once`, refused('UNAUTHORIZED')],
    [
      'links to one mailbox',
      `${count(LINKS_PER_MAILBOX_MAX)} in ${spanOfNs(LINKS_COUNTED_NS)}`,
      refused('RATE_LIMITED'),
    ],
    [
      'links requested from one address',
      `${count(LINKS_PER_NEIGHBOURHOOD_AT_ONCE)} in ${spanOfNs(LINKS_COUNTED_NS)}, then one in ${spanOfNs(LINKS_SLOW_NS)}`,
      refused('RATE_LIMITED'),
    ],
    [
      'accounts created from one address',
      `${count(NEW_ACCOUNTS_AT_ONCE)} in ${spanOfNs(NEW_ACCOUNTS_COUNTED_NS)}, then one in ${spanOfNs(NEW_ACCOUNTS_SLOW_NS)}`,
      refused('RATE_LIMITED'),
    ],
    ['a session, from the sign-in', spanOfNs(SESSION_VALID_NS), refused('UNAUTHORIZED')],
    ['browsers signed in to an account', count(SESSIONS_MAX), 'the oldest session ends'],
    [
      'orders of an account',
      `${count(ORDERS_PLACED_MAX)} in ${spanOfNs(ORDERS_PLACED_NS)}`,
      refused('RATE_LIMITED'),
    ],
    [
      'a subscription with an unpaid renewal keeps its rights',
      spanOfNs(PAYMENT_GRACE_NS),
      'the plan ends',
    ],
    [
      'downloads of the account data',
      `${count(EXPORTS_PER_MINUTE.limit)} a minute`,
      refused('RATE_LIMITED'),
    ],
    [
      'you can stop the deletion of the account',
      spanOfNs(DELETION_GRACE_NS),
      'the account is deleted',
    ],
  ],
};

export const CHARTS: LimitSection = {
  title: 'Layouts of charts',
  lead: '',
  rows: [
    ['layouts of an account', count(LAYOUTS_MAX), `${keysFull()}; delete one`],
    ['a layout as JSON', `${count(LAYOUT_BYTES_MAX)} bytes`, refused('INVALID_PARAMETERS')],
    [
      'the name of a layout',
      `${count(LAYOUT_NAME_CHARACTERS_MAX)} characters`,
      refused('INVALID_PARAMETERS'),
    ],
    ['states of a layout that you can restore', `the last ${count(STATES_KEPT)}`, 'older ones go'],
    [
      'you can undo the deletion of a layout',
      `${spanOfNs(DELETED_KEPT_NS)}, for the last ${count(DELETED_LAYOUTS_MAX)} deleted ones`,
      'it is gone',
    ],
  ],
};
