/** An order's billing address: no hidden characters, and no more or longer lines than a label holds. */

import { shownText } from '@tapeloom/core/person/plain-text';
import type { Static } from 'typebox';
import type { BillTo } from '../../../accounts/orders/orders-store.ts';
import { closedObject, namedObject, Type } from '../../contract/schema.ts';
import { invalidParameters } from '../../server/problems/problem-error.ts';

const NAME_CHARACTERS_MAX = 120;
const ADDRESS_CHARACTERS_MAX = 300;
const ADDRESS_LINES_MAX = 6;
const TAX_ID_CHARACTERS_MAX = 40;

const FIELDS = {
  name: Type.String({
    maxLength: NAME_CHARACTERS_MAX,
    description: 'A person or a company.',
  }),
  address: Type.String({
    maxLength: ADDRESS_CHARACTERS_MAX,
    description: 'Street, postal code and city, on separate lines.',
  }),
  taxId: Type.Union([Type.String({ maxLength: TAX_ID_CHARACTERS_MAX }), Type.Null()], {
    description: 'A tax id, such as a VAT number. It is printed, not checked.',
  }),
};

export const BillToBody = closedObject(FIELDS);

/** The same in responses. */
export const BillToView = namedObject('BillTo', FIELDS);

/** Null: the buyer gave none. */
export function billToOf(body: Static<typeof BillToBody> | undefined): BillTo | null {
  if (body === undefined) return null;
  const name = shownText(body.name).trim();
  const lines = body.address
    .split('\n')
    .map((line) => shownText(line).trim())
    .filter((line) => line !== '');
  const taxId = shownText(body.taxId ?? '').trim();
  if (name === '')
    throw fault('name', 'is empty: give the name of the buyer, or leave billTo out.');
  if (lines.length > ADDRESS_LINES_MAX) {
    throw fault('address', `has more than ${ADDRESS_LINES_MAX} lines.`);
  }
  return { name, address: lines.join('\n'), taxId: taxId === '' ? null : taxId };
}

function fault(field: string, message: string) {
  return invalidParameters([{ path: `/billTo/${field}`, message }]);
}
