/** The text of the declaration, as it is stored, mailed and shown: the person, the order and the time. */

import type { EpochNs } from '@tapeloom/core/numbers';
import { shownText } from '@tapeloom/core/person/plain-text';
import { MS_NS_BIG } from '@tapeloom/core/units';
import type { OrderRecord } from './orders-store.ts';

/** Longer than any real name. */
export const NAME_LENGTH_MAX = 200;

export interface StatementFacts {
  readonly order: Pick<OrderRecord, 'id' | 'createdAt'>;
  /** The public name: `Live`. */
  readonly offerName: string;
  /** As the customer wrote it; null: left out. */
  readonly name: string | null;
  readonly email: string | null;
  /** Null: not declared yet. */
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
