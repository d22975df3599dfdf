/** The declaration in words, as it is kept, mailed and shown: who withdraws from what, and when that was said. */

import type { EpochNs } from '@tapeloom/core/numbers';
import { shownText } from '@tapeloom/core/person/plain-text';
import { MS_NS_BIG } from '@tapeloom/core/units';
import type { OrderRecord } from './orders-store.ts';

/** More than any name; what is longer is none. */
export const NAME_LENGTH_MAX = 200;

export interface StatementFacts {
  readonly order: Pick<OrderRecord, 'id' | 'createdAt'>;
  /** As people know it: `Live`. */
  readonly offerName: string;
  /** As who declares it wrote it; null: it was left out. */
  readonly name: string | null;
  readonly email: string | null;
  /** Null: it is not declared yet. */
  readonly at: EpochNs | null;
}

export function withdrawalStatement(facts: StatementFacts): string {
  const { order, offerName, name, email, at } = facts;
  return [
    `I withdraw from my contract for ${offerName}.`,
    '',
    `Order: ${order.id}`,
    `Ordered: ${instantText(order.createdAt)}`,
    ...(name === null ? [] : [`Name: ${shownText(name)}`]),
    ...(email === null ? [] : [`E-mail: ${shownText(email)}`]),
    ...(at === null ? [] : [`Declared: ${instantText(at)}`]),
  ].join('\n');
}

/** `2026-11-22 14:35:08.123 UTC` */
function instantText(instant: EpochNs): string {
  const text = new Date(Number(instant / MS_NS_BIG)).toISOString();
  return `${text.slice(0, 10)} ${text.slice(11, 23)} UTC`;
}
