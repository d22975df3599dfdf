/** The billing address as fields of the checkout. */

import type { BillTo, OrderView } from '../../api/portal-shapes.ts';

export interface BillToFields {
  readonly name: string;
  readonly street: string;
  readonly city: string;
  readonly taxId: string;
}

const EMPTY: BillToFields = { name: '', street: '', city: '', taxId: '' };

/** Prefilled from the last order that has one. */
export function fieldsOf(orders: readonly OrderView[]): BillToFields {
  const last = orders.find(({ billTo }) => billTo !== null)?.billTo;
  if (last === undefined || last === null) return EMPTY;
  const lines = last.address.split('\n');
  const city = lines.length > 1 ? lines.at(-1)! : '';
  const street = (lines.length > 1 ? lines.slice(0, -1) : lines).join(', ');
  return { name: last.name, street, city, taxId: last.taxId ?? '' };
}

/** Null: all fields are empty. */
export function billToOf({ name, street, city, taxId }: BillToFields): BillTo | null {
  const lines = [street, city].map((line) => line.trim()).filter((line) => line !== '');
  const id = taxId.trim();
  if (name.trim() === '' && lines.length === 0 && id === '') return null;
  return { name: name.trim(), address: lines.join('\n'), taxId: id === '' ? null : id };
}

/** What is missing before it can be sent; null: nothing. */
export function billToFault(fields: BillToFields): string | null {
  const billTo = billToOf(fields);
  return billTo !== null && billTo.name === ''
    ? 'Give the name of the person or company that is billed, or clear the other fields.'
    : null;
}
