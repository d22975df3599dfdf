/** `GET /v1/history/estimate`: what a history query would cost. It costs nothing itself. */

import { lookBackText } from '../../history/covered-query.ts';
import { LookBackFrom } from '../contract/look-back-from-schema.ts';
import { closedObject, Type } from '../contract/schema.ts';
import { defineRoute, type Route } from '../server/route.ts';
import { askedQuery, coveredQuery, HISTORY_ERRORS, type HistoryFacts } from './history-access.ts';
import { historyParameters } from './history-parameters.ts';

const Count = (description: string) => Type.Integer({ minimum: 0, description });

const EstimateView = closedObject({
  instrument: Type.String({ description: 'As it was asked for.' }),
  contract: Type.String({ description: 'The contract that would be read.' }),
  computeUnits: Count('What all pages of the query cost together.'),
  trades: Count('Trades in the range.'),
  days: Count('UTC days of the range that the tape has.'),
  missingDays: Type.Array(Type.String({ format: 'date' }), {
    description: 'Days without data: none, for a query with such days is refused with 402.',
  }),
  missingDaysTotal: Count('How many days are without data: none.'),
  lookBackFrom: LookBackFrom,
  remainingComputeUnits: Count('Compute units that are left this month.'),
});

export function estimateRoute(history: () => HistoryFacts): Route {
  return defineRoute({
    method: 'GET',
    path: '/v1/history/estimate',
    operationId: 'estimateHistory',
    summary: 'What a history query costs.',
    description: 'Takes the same query. Nothing is charged.',
    access: { scope: 'history' },
    query: historyParameters('estimate'),
    judgesQuery: true,
    answer: EstimateView,
    errors: HISTORY_ERRORS,
    handle: async ({ query: raw, caller, signal }) => {
      const facts = history();
      const query = askedQuery(facts, { raw, operation: 'estimate', caller });
      const { computeUnits, trades, coverage } = await coveredQuery(facts, query, caller, signal);
      return {
        instrument: query.instrument,
        contract: query.contract,
        computeUnits,
        trades,
        days: coverage.days.length,
        missingDays: [],
        missingDaysTotal: 0,
        lookBackFrom: lookBackText(coverage),
        remainingComputeUnits: await facts.charges.remaining('page', caller),
      };
    },
  });
}
