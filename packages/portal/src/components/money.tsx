/** A price, as its currency writes it. */

import { moneyText } from './number-text.ts';

export function Money(props: { readonly amountMinor: number; readonly currency: string }) {
  return <span class="num">{moneyText(props.amountMinor, props.currency)}</span>;
}
