/**
 * Withdrawing from an order: the declaration's preview, and declaring it. It is recorded before the response, whatever
 * state the payment provider is in; a repeated declaration changes nothing. An order of another account is unknown.
 */

import { typedTextFault } from '@tapeloom/core/person/plain-text';
import type { Static } from 'typebox';
import type { OrderRecord } from '../../../accounts/orders/orders-store.ts';
import { NAME_LENGTH_MAX } from '../../../accounts/orders/withdrawal-statement.ts';
import type {
  WithdrawalRecord,
  WithdrawalRefused,
} from '../../../accounts/orders/withdrawals-store.ts';
import type { Billing } from '../../../billing/billing.ts';
import { WITHDRAWAL_REFUSALS } from '../../../billing/withdrawal-refusals.ts';
import { closedObject, Type } from '../../contract/schema.ts';
import { invalidParameters, ProblemError } from '../../server/problems/problem-error.ts';
import { defineRoute, type Route } from '../../server/route.ts';
import { CONFLICT, UNKNOWN_ORDER, unknownOrder } from './order-problems.ts';
import { OrderView, viewOrder } from './order-view.ts';

const WithdrawalView = closedObject({
  order: OrderView,
  statement: Type.String({
    description:
      'The declaration in words: the one that was made, or (while `withdrawn` is null) the one that would be made.',
  }),
});

const WithdrawalBody = closedObject({
  confirm: Type.Boolean({ description: 'True: I withdraw from this contract.' }),
  name: Type.Optional(
    Type.String({
      maxLength: NAME_LENGTH_MAX,
      description: 'The name of the person who withdraws, for the declaration; optional.',
    }),
  ),
});

export function withdrawalRoutes(billing: () => Billing): readonly Route[] {
  return [showRoute(billing), declareRoute(billing)];
}

function showRoute(billing: () => Billing): Route {
  return defineRoute({
    method: 'GET',
    path: '/v1/portal/orders/:id/withdrawal',
    operationId: 'getWithdrawal',
    summary: 'The declaration of a withdrawal from an order, made or possible.',
    description: 'This request changes nothing. The order has the end of the right of withdrawal.',
    access: 'session',
    answer: WithdrawalView,
    errors: [UNKNOWN_ORDER],
    handle: async ({ params, session, now }) => {
      const { withdrawals } = billing();
      const order = await billing().orderOf(session.accountId, params.id!);
      if (order === null) throw unknownOrder();
      const withdrawal = await withdrawals.withdrawalOf(order);
      const statement =
        withdrawal?.statement ?? withdrawals.statementOf(order, { email: session.email });
      return { order: viewOrder(order, now, withdrawal), statement };
    },
  });
}

function declareRoute(billing: () => Billing): Route {
  return defineRoute({
    method: 'POST',
    path: '/v1/portal/orders/:id/withdrawal',
    operationId: 'withdrawFromOrder',
    summary: 'Withdraws from an order.',
    description:
      'The service records the withdrawal with its time and confirms it by e-mail at once. The rights ' +
      'of the order end, nothing more is charged, and the amount due is paid back the way it was paid. ' +
      'A repeated request changes nothing.',
    access: 'session',
    // The owner of a suspended account keeps this right.
    isForSuspended: true,
    body: WithdrawalBody,
    answer: WithdrawalView,
    errors: [UNKNOWN_ORDER, CONFLICT],
    handle: async ({ body, params, session, address, now }) => {
      const name = nameOf(body);
      const { accountId, id: sessionId } = session;
      const wish = { accountId, orderId: params.id!, sessionId, address, name };
      const declared = await billing().withdrawals.declare(wish);
      if ('refused' in declared) throw refusal(declared);
      return answerOf(declared.order, declared.withdrawal, now);
    },
  });
}

function answerOf(
  order: OrderRecord,
  withdrawal: WithdrawalRecord,
  now: WithdrawalRecord['at'],
): Static<typeof WithdrawalView> {
  return { order: viewOrder(order, now, withdrawal), statement: withdrawal.statement };
}

function nameOf({ confirm, name }: Static<typeof WithdrawalBody>): string | null {
  if (!confirm) {
    const message = 'must be true, to confirm that you withdraw from the contract.';
    throw invalidParameters([{ path: '/confirm', message }]);
  }
  const text = (name ?? '').trim();
  const fault = typedTextFault(text);
  if (fault !== null) throw invalidParameters([{ path: '/name', message: `${fault}.` }]);
  return text === '' ? null : text;
}

function refusal(refused: WithdrawalRefused): ProblemError {
  if (refused.refused === 'no-order') return unknownOrder();
  return new ProblemError('CONFLICT', WITHDRAWAL_REFUSALS[refused.why]);
}
