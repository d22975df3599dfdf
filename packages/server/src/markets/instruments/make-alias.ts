/** Makes an alias: by calendar, by volume, or from a written list of rolls. */

import type { Calendar } from '@tapeloom/core/calendar/calendar';
import type { Contract } from '@tapeloom/core/instrument/contract';
import { calendarRolls, rollChain } from '@tapeloom/core/instrument/rolls';
import type { UtcDay } from '@tapeloom/core/numbers';
import { addDays, dayOf, daysBetween } from '@tapeloom/core/utc-day';
import type { ListedAlias } from './instruments-file.ts';
import { businessDaysOf } from './make-contracts.ts';
import type { AliasForm } from './read-alias.ts';
import type { ProductForm } from './read-product.ts';

/** Null with a recorded fault when it cannot be made. `contracts` ascend by expiry. */
export function makeAlias(
  form: AliasForm,
  product: ProductForm,
  contracts: readonly Contract[],
  calendar: Calendar,
): ListedAlias | null {
  const { alias, root, roll, reading } = form;
  if (typeof roll !== 'string') {
    if (form.from !== null) reading.fault('has "from" beside rolls that are written out');
    return { alias, root, kind: 'planned', rolls: roll };
  }
  if (product.roll === null) {
    reading.fault(`rolls by ${roll}, for which its product needs "roll"`);
    return null;
  }
  const from = form.from ?? firstDay(contracts);
  if (from === null) {
    reading.fault('lacks "from": the day on which it begins to mean its only contract');
    return null;
  }
  const isBusinessDay = businessDaysOf(product, calendar);
  if (roll === 'calendar') {
    const rolls = calendarRolls(contracts, product.roll, from, isBusinessDay);
    return { alias, root, kind: 'planned', rolls };
  }
  const chain = rollChain(contracts, product.roll, from, isBusinessDay);
  return { alias, root, kind: 'volume', chain };
}

/** The first expiry minus the time from there to the second. */
function firstDay([first, second]: readonly Contract[]): UtcDay | null {
  if (first === undefined || second === undefined) return null;
  const [end, next] = [dayOf(first.expiresAt), dayOf(second.expiresAt)];
  return addDays(end, -daysBetween(end, next));
}
