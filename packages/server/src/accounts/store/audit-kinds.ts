/** The kinds of audit events. */

export const AUDIT_KINDS = [
  'account.created',
  'account.plan-changed',
  'account.suspended',
  'account.resumed',
  'account.owned',
  'account.email-changed',
  'account.deletion-asked',
  'account.deletion-withdrawn',
  'account.deleted',
  'account.second-factor-changed',
  'passkey.added',
  'passkey.removed',
  'passkey.recovery-asked',
  'passkey.recovery-stopped',
  'session.begun',
  'session.ended',
  'order.placed',
  'order.changed',
  'order.written-off',
  'order.withdrawn',
  'order.cancel-asked',
  'order.refund-asked',
  'key.created',
  'key.rotated',
  'key.revoked',
  'key.management-refused',
  'key.limit-refused',
] as const;
export type AuditKind = (typeof AUDIT_KINDS)[number];
/** Events that change nothing. Those of one day that differ only in time count as one event. */
export const REFUSAL_KINDS = ['key.management-refused', 'key.limit-refused'] as const;
export type RefusalKind = (typeof REFUSAL_KINDS)[number];
