/** Renders withdrawals as text and as JSON. */

import type { OrderRecord } from '@tapeloom/server/accounts/orders/orders-store';
import type {
  WithdrawalCounts,
  WithdrawalRecord,
} from '@tapeloom/server/accounts/orders/withdrawals-store';
import { timeJson, timeText } from '../accounts/time-text.ts';
import { factsText } from '../table-text.ts';
import { priceText } from './order-view.ts';

export function withdrawalJson(withdrawal: WithdrawalRecord): Record<string, unknown> {
  const { at, via, address, email, statement, statementSha256, amountMinor } = withdrawal;
  return {
    at: timeJson(at),
    via,
    address,
    email,
    statement,
    statementSha256,
    amountMinor,
    state: withdrawal.state,
    refund: withdrawal.refund,
    mailedAt: timeJson(withdrawal.toldAt),
    endedAt: timeJson(withdrawal.endedAt),
    refundedAt: timeJson(withdrawal.refundedAt),
    attempts: withdrawal.attempts,
    tryAt: timeJson(withdrawal.tryAt),
    fault: withdrawal.fault,
  };
}

export function withdrawalFacts(withdrawal: WithdrawalRecord, { currency }: OrderRecord): string {
  const { at, via, address, state, refund, toldAt, endedAt, refundedAt } = withdrawal;
  const money = (amountMinor: number) => priceText({ amountMinor, currency });
  const from = address === null ? '' : ` from ${address}`;
  return factsText([
    ['withdrawn', `${timeText(at)}, by ${via === 'portal' ? 'its owner' : 'an operator'}${from}`],
    ['told', `${money(withdrawal.amountMinor)} of the price is refunded`],
    ['receipt', toldAt === null ? 'not mailed yet' : `mailed ${timeText(toldAt)}`],
    [
      'ended',
      endedAt === null ? 'the provider has not ended the subscription yet' : timeText(endedAt),
    ],
    [
      'refund',
      refund === null ? 'nothing decided' : `${money(refund.minor)} of ${refund.chargeId}`,
    ],
    ['settled', refundedAt === null ? STATES[state] : timeText(refundedAt)],
    ...(withdrawal.fault === null ? [] : ([['fault', withdrawal.fault]] as [string, string][])),
    ['statement', `SHA-256 ${withdrawal.statementSha256}`],
  ]);
}

/** Counts withdrawals that wait for the provider and for the operator; null when there are none. */
export function waitingText(waiting: WithdrawalCounts): string | null {
  const count = (waiting.open ?? 0) + (waiting.pending ?? 0);
  const byHand = waiting.by_hand ?? 0;
  const parts = [
    count === 0 ? null : `${counted(count)} for its payment provider`,
    byHand === 0 ? null : `${counted(byHand)} for you: tapeloom billing show says what to do`,
  ].filter((part) => part !== null);
  return parts.length === 0 ? null : parts.join('\n');
}

function counted(count: number): string {
  return count === 1 ? '1 withdrawal waits' : `${count} withdrawals wait`;
}

const STATES: Readonly<Record<WithdrawalRecord['state'], string>> = {
  open: 'not yet: the service keeps asking the provider until it is done',
  pending: 'not yet: the provider decides about the money',
  by_hand: 'not yet: refund it at the provider; the service notices within six hours',
  done: 'yes',
};
