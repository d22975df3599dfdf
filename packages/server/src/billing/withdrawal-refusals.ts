/** Why an order cannot be withdrawn from, in words for customers. */

import type { WithdrawalRefused } from '../accounts/orders/withdrawals-store.ts';

type Reason = Extract<WithdrawalRefused, { readonly refused: 'no-right' }>['why'];

export const WITHDRAWAL_REFUSALS: Readonly<Record<Reason, string>> = {
  withdrawn: 'You have already withdrawn from this order.',
  'no-right': 'This order was placed without a right of withdrawal.',
  lost: 'The right of withdrawal from this order ended when access was provided, as agreed at the checkout.',
  over: 'The time for withdrawing from this order has passed.',
  ended: 'This order has ended: there is nothing to withdraw from.',
};
