/**
 * The part of the account store about withdrawals from orders. What was declared is written once and stays; what
 * became of it is noted beside it, until everything is done.
 */

/**
 * `open`: the subscription has to end, or the money has to be asked for. `pending`: the provider decides about the
 * money. `by_hand`: the operator has to give the money back.
 */
export type WithdrawalState = 'open' | 'pending' | 'done' | 'by_hand';
