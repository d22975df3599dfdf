/**
 * Prepares the OpenAPI document for the page: the public API at its own origin, and how to try each operation. Pure.
 */

/** Groups without use for API clients. */
const LEFT_OUT: readonly string[] = ['Portal', 'Payments'];
const HOUR_MS = 3_600_000;
const TRY_PATH = '/v1/portal/try';

interface Answer {
  readonly description: string;
  readonly content?: unknown;
}
interface Parameter {
  readonly name: string;
  readonly schema: Readonly<Record<string, unknown>>;
  readonly example?: unknown;
}
export interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly description?: string;
  readonly security: readonly { readonly key?: readonly string[] }[];
  readonly 'x-scope'?: string;
  readonly parameters?: readonly Parameter[];
  readonly responses: Readonly<Record<string, Answer>>;
}
type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>;
export interface OpenapiDocument {
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Paths;
  readonly components: { readonly securitySchemes?: unknown; readonly schemas: object };
}

/**
 * `open`: without a session. `session`: with one, through the portal's own route. Otherwise not here, for the given
 * reason, but on the page at `href`.
 */
export type Trying =
  | { readonly by: 'open' | 'session' }
  | {
      readonly by: 'elsewhere';
      readonly reason: string;
      readonly href: string;
      readonly name: string;
    };

const KEYS_PAGE = { by: 'elsewhere', href: '/keys', name: 'Open Keys' } as const;
const SHOWS_SECRET = {
  ...KEYS_PAGE,
  reason: 'It shows a secret once, so it is done in the portal.',
};
const ELSEWHERE: Readonly<Record<string, Trying>> = {
  createKey: SHOWS_SECRET,
  rotateKey: SHOWS_SECRET,
  revokeKey: { ...KEYS_PAGE, reason: 'It cannot be undone, so it is done in the portal.' },
  createStreamToken: {
    by: 'elsewhere',
    reason:
      'For a minute, a token works like a key; the console of the stream requests one for you.',
    href: '/docs/reference/stream',
    name: 'Open the console',
  },
  exportHistory: {
    by: 'elsewhere',
    reason:
      'An export costs its whole range when it starts, and a page cannot resume it. Try its estimate, and download by a program.',
    href: '/docs/history',
    name: 'How to export',
  },
};

export function tryingOf({ operationId, security }: Operation): Trying {
  const elsewhere = ELSEWHERE[operationId];
  if (elsewhere !== undefined) return elsewhere;
  const needsKey = security.length === 1 && security[0]!.key !== undefined;
  return { by: needsKey ? 'session' : 'open' };
}

/** The address of a trial request: operations that need a key go to the portal's own route. */
export function triedAt(document: OpenapiDocument, url: string): string {
  const { pathname, search } = new URL(url);
  const operation = document.paths[pathname]?.get;
  if (operation === undefined || tryingOf(operation).by !== 'session') return pathname + search;
  return `${TRY_PATH}${pathname.slice('/v1'.length)}${search}`;
}

/** The document at this time: example ranges are recent, because the contract's examples may predate the data. */
export function shownDocument(document: OpenapiDocument, origin: string, nowMs: number): object {
  const recent = { from: instant(nowMs - 2 * HOUR_MS), to: instant(nowMs - HOUR_MS) };
  const { securitySchemes: _schemes, ...components } = document.components;
  const paths = Object.entries(document.paths).flatMap(([path, methods]) => {
    const shown = Object.entries(methods).filter(([, { tags }]) => !LEFT_OUT.includes(tags[0]!));
    if (shown.length === 0) return [];
    return [
      [path, Object.fromEntries(shown.map(([name, one]) => [name, shownOperation(one, recent)]))],
    ];
  });
  return {
    ...document,
    servers: [{ url: origin }],
    tags: document.tags.filter(({ name }) => !LEFT_OUT.includes(name)),
    paths: Object.fromEntries(paths),
    components,
  };
}

/** The anchors of the static list, and their operations. */
export function anchorsOf({ paths }: OpenapiDocument): ReadonlyMap<string, Operation> {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const anchor = `${method} ${path}`
        .toLowerCase()
        .replace(/[^a-z0-9\s_-]/g, '')
        .replace(/\s/g, '-');
      return [anchor, operation] as const;
    }),
  );
  return new Map(operations);
}

/** To the minute. */
function instant(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 16)}:00Z`;
}

function shownOperation(operation: Operation, recent: Readonly<Record<string, string>>): object {
  const {
    security,
    'x-scope': scope,
    description = '',
    responses,
    parameters = [],
    ...rest
  } = operation;
  return {
    ...rest,
    description: `${description}\n\n${keyWords(security, scope)}`,
    // The browser itself handles conditional requests.
    parameters: parameters
      .filter((one) => one.name !== 'If-None-Match')
      .map((one) => shownParameter(one, recent[one.name])),
    responses: Object.fromEntries(Object.entries(responses).map(shownAnswer)),
  };
}

/** Swagger UI would render a text with a media type as a file input. */
function shownParameter(parameter: Parameter, recent: string | undefined): object {
  // For a repeatable parameter, the page shows a single field.
  const { anyOf: [single] = [parameter.schema] } = parameter.schema as {
    readonly anyOf?: readonly object[];
  };
  const { contentMediaType: _type, ...schema } = single as { readonly contentMediaType?: string };
  const isDated = recent !== undefined && parameter.example !== undefined;
  return { ...parameter, schema, ...(isDated ? { example: recent } : {}) };
}

function keyWords(security: Operation['security'], scope: string | undefined): string {
  const needsKey = security.some(({ key }) => key !== undefined);
  if (!needsKey || security.length > 1) return 'Needs no key.';
  return scope === undefined ? 'Needs a key.' : `Needs a key with the scope \`${scope}\`.`;
}

/** Each error is one line, with a link to its code's meaning. */
function shownAnswer([status, answer]: [string, Answer]): [string, object] {
  if (Number(status) < 400) {
    const { headers: _headers, ...rest } = answer as Answer & { readonly headers?: unknown };
    return [status, rest];
  }
  const description = answer.description.replace(/`([A-Z_]+)`/g, (_, code: string) => {
    return `[\`${code}\`](/docs/errors#${code.toLowerCase().replaceAll('_', '-')})`;
  });
  return [status, { description }];
}
