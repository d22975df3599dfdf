/**
 * Checks a REST response against our OpenAPI document, with a third-party validator (ajv): status and content type are
 * documented, required headers are present, and headers and body match their schemas.
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';

const DOCUMENT = join(import.meta.dirname, '../../contract/openapi.json');
const NAME = 'openapi.json';
/** Statuses that any address may return, documented once by `default`. */
const ANYWHERE: ReadonlySet<number> = new Set([405, 408, 414, 417, 421, 431]);
/** Headers of HTTP itself, of CORS and of browser security: no operation documents them. */
const OF_HTTP =
  /^(?:date|connection|keep-alive|vary|cache-control|etag|allow|accept|accept-encoding|content-(?:type|length|encoding|disposition|security-policy)|transfer-encoding|trailer|set-cookie|access-control-.*|cross-origin-.*|x-content-type-options|x-frame-options|referrer-policy|permissions-policy|strict-transport-security|retry-after)$/;
const REQUEST_ID = /^req_[0-9a-f]{32}$/;

export interface AnsweredResponse {
  readonly method: string;
  /** With its query. */
  readonly url: string;
  readonly status: number;
  /** By lower-case name. */
  readonly headers: ReadonlyMap<string, string>;
  /** Null: it was too long, or is unavailable. */
  readonly body: Buffer | null;
}

interface HeaderObject {
  readonly $ref?: string;
  readonly required?: boolean;
  readonly schema?: { readonly type?: string };
}
interface ResponseObject {
  readonly headers?: Readonly<Record<string, HeaderObject>>;
  readonly content?: Readonly<Record<string, { readonly schema?: object }>>;
}
interface OpenApi {
  readonly paths: Readonly<
    Record<
      string,
      Readonly<Record<string, { readonly responses: Readonly<Record<string, ResponseObject>> }>>
    >
  >;
  readonly components: { readonly headers: Readonly<Record<string, HeaderObject>> };
}

export class ContractJudge {
  readonly #document = JSON.parse(readFileSync(DOCUMENT, 'utf8')) as OpenApi;
  readonly #ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: false });
  /** Paths with fewer parameters first. */
  readonly #paths = Object.keys(this.#document.paths)
    .sort((a, b) => a.split('{').length - b.split('{').length)
    .map((path) => ({ path, pattern: new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`) }));

  constructor() {
    this.#ajv.addSchema(this.#document as object, NAME);
  }

  /** Every documented status of every operation: `GET /v1/keys 200`. */
  get documented(): readonly string[] {
    return Object.entries(this.#document.paths).flatMap(([path, operations]) =>
      Object.entries(operations).flatMap(([verb, { responses }]) =>
        Object.keys(responses)
          .filter((status) => status !== 'default')
          .map((status) => `${verb.toUpperCase()} ${path} ${status}`),
      ),
    );
  }

  /** The documented status that a response shows. */
  shownBy({ method, url, status }: Pick<AnsweredResponse, 'method' | 'url' | 'status'>): string {
    const [pathname] = url.split('?', 1) as [string];
    const found = this.#paths.find(({ pattern }) => pattern.test(pathname));
    return `${method === 'HEAD' ? 'GET' : method} ${found?.path} ${status}`;
  }

  /** The faults, one sentence each; null: it is no response of our API. */
  faults(answered: AnsweredResponse): readonly string[] | null {
    const { method, url, status, headers } = answered;
    const [pathname] = url.split('?', 1) as [string];
    if (!pathname.startsWith('/v1/') || method === 'OPTIONS') return null;
    if (!REQUEST_ID.test(headers.get('x-request-id') ?? '')) return null;
    const found = this.#paths.find(({ pattern }) => pattern.test(pathname));
    const verb = method === 'HEAD' ? 'get' : method.toLowerCase();
    const responses = found && this.#document.paths[found.path]![verb]?.responses;
    if (responses === undefined) {
      return status >= 400 ? [] : [`${method} ${pathname} answers ${status} and is not documented`];
    }
    const at = ['paths', found!.path, verb, 'responses'];
    const isAnywhere = status >= 500 || ANYWHERE.has(status);
    const key = String(status) in responses ? String(status) : isAnywhere ? 'default' : null;
    const where = `${method} ${found!.path} ${status}`;
    if (key === null) return [`${where}: the status is not documented`];
    const response = responses[key]!;
    return [
      ...this.#headerFaults(response, headers),
      ...this.#bodyFaults(response, [...at, key], answered),
    ].map((fault) => `${where}: ${fault}`);
  }

  #headerFaults(
    { headers: documented = {} }: ResponseObject,
    headers: AnsweredResponse['headers'],
  ): readonly string[] {
    const known = new Set(Object.keys(documented).map((name) => name.toLowerCase()));
    const others = [...headers.keys()].filter((name) => !known.has(name) && !OF_HTTP.test(name));
    const undocumented = others.map((name) => `the header ${name} is not documented`);
    const faults = Object.entries(documented).flatMap(([name, object]) => {
      const header =
        object.$ref === undefined
          ? object
          : this.#document.components.headers[object.$ref.split('/').at(-1)!]!;
      const text = headers.get(name.toLowerCase());
      if (text === undefined) return header.required ? [`the header ${name} is missing`] : [];
      if (header.schema === undefined) return [];
      const isNumber = header.schema.type === 'integer' || header.schema.type === 'number';
      const value = isNumber ? Number(text) : text;
      return this.#schemaFaults(header.schema, value, `the header ${name}`);
    });
    return [...undocumented, ...faults];
  }

  #bodyFaults(
    { content }: ResponseObject,
    at: readonly string[],
    { method, headers, body, status }: AnsweredResponse,
  ): readonly string[] {
    const type = headers.get('content-type')?.replace(/;.*$/, '').trim();
    const isBare = method === 'HEAD' || status === 304;
    if (content === undefined) {
      return isBare || body?.length === 0 ? [] : ['it has a body, and none is documented'];
    }
    if (status === 304) return [];
    if (type === undefined || !(type in content)) {
      return [`the content type ${type} is not one of ${Object.keys(content).join(', ')}`];
    }
    // Export bytes have no schema, and may be empty.
    const isJson = type === 'application/json' || type === 'application/problem+json';
    if (!isJson || isBare || body === null || content[type]!.schema === undefined) return [];
    const pointer = [...at, 'content', type, 'schema']
      .map((part) => part.replaceAll('~', '~0').replaceAll('/', '~1'))
      .map(encodeURIComponent)
      .join('/');
    let value: unknown;
    try {
      value = JSON.parse(body.toString('utf8'));
    } catch {
      return ['the body is no JSON'];
    }
    return this.#schemaFaults({ $ref: `${NAME}#/${pointer}` }, value, 'the body');
  }

  readonly #compiled = new Map<string, ReturnType<Ajv2020['compile']>>();

  #schemaFaults(schema: object, value: unknown, what: string): readonly string[] {
    const validate = this.#compiled.getOrInsertComputed(JSON.stringify(schema), () =>
      this.#ajv.compile(schema),
    );
    if (validate(value)) return [];
    const [error] = validate.errors ?? [];
    return [`${what}${error?.instancePath ?? ''} ${error?.message ?? 'does not fit its schema'}`];
  }
}
