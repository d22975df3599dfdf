/**
 * The REST reference, in place of the static list. It is Swagger UI with our own styles, imported on this page only.
 * Trials use the visitor's session; the page has no key and never asks for one.
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
  // Swagger UI replaces the fragment by its own.
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
    // Readers see the request that a program would send.
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

  /** Leads links to entries of the static list, from the contents or a search, to their replacements. */
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

/** Wraps everything from the first group on in one element. */
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

/** Swagger UI does not label its fields. */
function nameFields(place: HTMLElement): void {
  const name = () => {
    for (const field of place.querySelectorAll(FIELDS_WITHOUT_NAME)) {
      const row = field.closest<HTMLElement>('[data-param-name]');
      field.setAttribute('aria-label', row?.dataset.paramName ?? 'Value');
    }
  };
  new MutationObserver(name).observe(place, { childList: true, subtree: true });
}
