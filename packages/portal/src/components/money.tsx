/** A price in its currency's format. */

import { moneyText } from './number-text.ts';

export function Money(props: { readonly amountMinor: number; readonly currency: string }) {
  return <span class="num">{moneyText(props.amountMinor, props.currency)}</span>;
}
