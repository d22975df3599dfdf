/** `GET /v1/history/estimate`: the cost of a history query. The estimate itself is free. */

import type { UtcDay } from '@tapeloom/core/numbers';
import { type CoveredQuery, lookBackText } from '../../history/covered-query.ts';
import { gapListOf } from '../../history/gap-list.ts';
import { missingMembers } from '../../platform/refusal-answer.ts';
import { GapsView } from '../contract/gaps-schema.ts';
import { IndicatorId } from '../contract/indicator-schemas.ts';
import { LookBackFrom } from '../contract/look-back-from-schema.ts';
import { namedObject, Type } from '../contract/schema.ts';
import { defineRoute, type Route } from '../server/route.ts';
import {
  askedQueries,
  coveredQueries,
  HISTORY_ERRORS,
  type HistoryFacts,
  unitsOf,
} from './history-access.ts';
import { historyParameters } from './history-parameters.ts';

const Count = (description: string) => Type.Integer({ minimum: 0, description });

const StudyView = namedObject('StudyEstimate', {
  indicator: IndicatorId('The id of the indicator.'),
  computeUnits: Count('Its part of the cost.'),
  lookBackFrom: LookBackFrom,
});

const EstimateView = namedObject('Estimate', {
  instrument: Type.String({ description: 'The instrument as the request names it.' }),
  contract: Type.String({ description: 'The contract that the query reads.' }),
  computeUnits: Count('The cost of all pages of the query together, or of its export.'),
  trades: Count('The number of trades in the range.'),
  days: Count('The number of UTC days of the range that the tape has.'),
  missingDays: Type.Array(Type.String({ format: 'date' }), {
    description:
      'With `gaps=allow`: the days without complete data, the first 1,000. Otherwise empty, because a ' +
      'query with such days gets 402.',
  }),
  missingDaysTotal: Count('The number of days without complete data.'),
  ...GapsView,
  lookBackFrom: LookBackFrom,
  remainingComputeUnits: Count('Compute units that are left this month.'),
  studies: Type.Optional(
    Type.Array(StudyView, {
      description: 'With several indicators: each one, in the order of the request.',
    }),
  ),
});

export function estimateRoute(history: () => HistoryFacts): Route {
  return defineRoute({
    method: 'GET',
    path: '/v1/history/estimate',
    operationId: 'estimateHistory',
    summary: 'Estimates the cost of a history query.',
    description:
      'Takes the query of a page of history or of an export, also with several indicators. Nothing is charged.',
    access: { scope: 'history' },
    query: historyParameters('estimate'),
    judgesQuery: true,
    answer: EstimateView,
    errors: HISTORY_ERRORS,
    handle: async ({ query: raw, caller, signal }) => {
      const facts = history();
      const queries = askedQueries(facts, { raw, operation: 'estimate', caller });
      const covered = await coveredQueries(facts, queries, caller, signal);
      const { query, trades, coverage } = covered[0]!;
      return {
        instrument: query.instrument,
        contract: query.contract,
        computeUnits: unitsOf(covered),
        trades,
        days: coverage.days.length,
        ...missingMembers(missingDaysOf(covered)),
        ...gapListOf(covered),
        lookBackFrom: latestLookBack(covered),
        remainingComputeUnits: await facts.charges.remaining('page', caller),
        ...(covered.length === 1 ? {} : { studies: covered.map(studyView) }),
      };
    },
  });
}

/** The missing days of all studies: the study whose session opened first has the most. */
function missingDaysOf(covered: readonly CoveredQuery[]): readonly UtcDay[] {
  const all = covered.flatMap(({ coverage }) => coverage.missingDays);
  return [...new Set(all)].sort((a, b) => a - b);
}

function studyView({ query: { indicator }, computeUnits, coverage }: CoveredQuery) {
  return { indicator, computeUnits, lookBackFrom: lookBackText(coverage) };
}

/** From then on the values that each study carries over are there. */
function latestLookBack(covered: readonly CoveredQuery[]): string | null {
  const texts = covered
    .map(({ coverage }) => lookBackText(coverage))
    .filter((text) => text !== null);
  return texts.length === 0 ? null : String(texts.map(BigInt).reduce((a, b) => (a > b ? a : b)));
}
