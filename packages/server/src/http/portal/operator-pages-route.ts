/** `GET /v1/portal/pages/:name`: the operator's imprint, privacy notice and terms. Public. */

import type { OperatorPages } from '../../pages/operator-pages.ts';
import { closedObject, Type } from '../contract/schema.ts';
import { ProblemError } from '../server/problems/problem-error.ts';
import { defineRoute, type Route } from '../server/route.ts';

const PageView = closedObject({
  title: Type.String({ description: 'Plain text.' }),
  html: Type.String({
    description:
      'HTML without scripts, styles, pictures and handlers; links lead to http, https and mailto addresses.',
  }),
});

export function operatorPagesRoute(pages: () => OperatorPages): Route {
  return defineRoute({
    method: 'GET',
    path: '/v1/portal/pages/:name',
    operationId: 'getOperatorPage',
    summary: "One of the operator's own pages: imprint, privacy or terms.",
    description:
      'The page is HTML with tags from a short list. The response is 404 if the operator has written no such page.',
    access: 'public',
    answer: PageView,
    errors: [{ code: 'NOT_FOUND', status: 404 }],
    handle: async ({ params }) => {
      const page = pages().page(params.name!);
      if (page === null) {
        throw new ProblemError('NOT_FOUND', 'The pages are imprint, privacy and terms.');
      }
      return await page;
    },
  });
}
