/** The result of a charge, in a word or two. */

import type { ReceiptView } from '../../api/portal-shapes.ts';
import { moneyText } from '../../components/number-text.ts';
import type { StateWord } from './order-words.ts';

export function receiptWord(
  receipt: Pick<ReceiptView, 'state' | 'refundedMinor' | 'currency'>,
): StateWord {
  const { state, refundedMinor, currency } = receipt;
  switch (state) {
    case 'paid':
      if (refundedMinor === 0) return { word: 'Paid', kind: 'ok' };
      return { word: `${moneyText(refundedMinor, currency)} refunded`, kind: 'plain' };
    case 'open':
      return { word: 'Not paid yet', kind: 'warn' };
    case 'failed':
      return { word: 'Declined', kind: 'danger' };
    case 'refunded':
      return { word: 'Refunded', kind: 'plain' };
    default:
      return state satisfies never;
  }
}
