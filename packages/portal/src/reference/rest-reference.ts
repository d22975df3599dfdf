/**
 * The reference of the REST interface, in place of the list that stands in the page without scripts. It is Swagger UI with our own
 * styles, and loaded on this page only. What is tried goes through the visitor's session: the page has no key and asks for none.
 */

import swaggerUi from 'swagger-ui-dist/swagger-ui-es-bundle.js';
import { publicAsk } from '../api/call.ts';
import { anchorsOf, type OpenapiDocument, shownDocument, triedAt } from './rest-document.ts';
import { restPlugin } from './rest-plugin.ts';
import type { SwaggerRequest, SwaggerUi } from './swagger-shapes.ts';
import { whoIsHere } from './who-is-here.ts';
import './reference.css';
import './rest-reference.css';

const SWAGGER: SwaggerUi = swaggerUi;
const FIELDS_WITHOUT_NAME = '[data-param-name] :is(input, select, textarea):not([aria-label])';

export async function startRestReference(article: HTMLElement): Promise<void> {
  // Swagger UI writes its own in its place.
  const wanted = location.hash;
  const [document, visitor] = await Promise.all([
    publicAsk<OpenapiDocument>('/v1/openapi.json'),
    whoIsHere(),
  ]);
  const list = foldList(article);
  const place = window.document.createElement('div');
  place.className = 'rest-reference';
  list.before(place);
  nameFields(place);
  const anchors = anchorsOf(document);
  const ui = SWAGGER({
    domNode: place,
    spec: shownDocument(document, location.origin, Date.now()),
    presets: [SWAGGER.presets.apis],
    plugins: [
      restPlugin({
        isSignedIn: visitor !== null,
        operationAt: (path, method) => document.paths[path]?.[method],
      }),
    ],
    layout: 'BaseLayout',
    deepLinking: true,
    docExpansion: 'list',
    defaultModelsExpandDepth: -1,
    defaultModelRendering: 'example',
    displayRequestDuration: true,
    syntaxHighlight: false,
    validatorUrl: null,
    // Readers are shown what a program would send.
    showMutatedRequest: false,
    requestInterceptor: (request: SwaggerRequest) => {
      request.url = triedAt(document, new URL(request.url, location.origin).href);
      request.credentials = 'same-origin';
      return request;
    },
    onComplete: () => {
      list.classList.add('replaced');
      place.classList.add('ready');
      follow(wanted);
    },
  });
  addEventListener('hashchange', () => follow(location.hash));

  /** A link to an entry of the list, from the contents or a search, leads to what stands in its place. */
  function follow(hash: string): void {
    const anchor = decodeURIComponent(hash.slice(1));
    const operation = anchors.get(anchor);
    if (operation !== undefined) {
      ui.layoutActions.show(['operations', operation.tags[0]!, operation.operationId], true);
    }
    const group = document.tags.find(({ name }) => name.toLowerCase() === anchor);
    const id =
      operation === undefined
        ? `operations-tag-${group?.name}`
        : `operations-${operation.tags[0]}-${operation.operationId}`;
    requestAnimationFrame(() => window.document.getElementById(id)?.scrollIntoView());
  }
}

/** All from the first group on, as one element. */
function foldList(article: HTMLElement): HTMLElement {
  const first = article.querySelector('h2')!;
  const list = document.createElement('div');
  list.className = 'rest-list';
  first.before(list);
  for (let next: ChildNode | null = first; next !== null; ) {
    const after: ChildNode | null = next.nextSibling;
    list.append(next);
    next = after;
  }
  return list;
}

/** Swagger UI leaves its fields without names. */
function nameFields(place: HTMLElement): void {
  const name = () => {
    for (const field of place.querySelectorAll(FIELDS_WITHOUT_NAME)) {
      const row = field.closest<HTMLElement>('[data-param-name]');
      field.setAttribute('aria-label', row?.dataset.paramName ?? 'Value');
    }
  };
  new MutationObserver(name).observe(place, { childList: true, subtree: true });
}
