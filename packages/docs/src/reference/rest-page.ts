/**
 * `docs/reference/rest.md`: every public operation with its parameters, an example and its errors, from the OpenAPI
 * document. Readers without scripts see it, the search finds it, and it is the page's `.md`.
 */

import { type ErrorCode, errorAnchor } from '@tapeloom/protocol/error-codes';
import { contractRoutes } from '@tapeloom/server/http/contract/contract';
import { openapiText } from '@tapeloom/server/http/contract/interface-documents';
import { docsPath } from '../docs-path.ts';
import { code, table } from '../markdown-table.ts';
import { requestSamples } from './request-samples.ts';
import {
  fieldTable,
  type JsonSchema,
  jsonBlock,
  meaning,
  type NamedSchemas,
  schemaLink,
  typeWords,
  wholeSchema,
} from './schema-fields.ts';

export const REST_PATH = docsPath('reference/rest.md');

/** Groups without use for API clients. */
const LEFT_OUT: readonly string[] = ['Portal', 'Payments'];

interface Content {
  readonly schema: JsonSchema;
  readonly example?: unknown;
}
interface Answer {
  readonly description: string;
  readonly content?: Readonly<Record<string, Content>>;
}
interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly description?: string;
  readonly schema: JsonSchema;
  readonly example?: unknown;
}
interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly security: readonly { readonly key?: readonly string[] }[];
  readonly 'x-scope'?: string;
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Content>> };
  readonly responses: Readonly<Record<string, Answer>>;
}
interface OpenapiDocument {
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: NamedSchemas };
}

const INTRO = `# REST interface

Every route for programs, with its parameters, an example of its response, and its errors. This page is generated from the OpenAPI
document, which every service serves at \`/v1/openapi.json\` with its own address in it; tools can read it.

In a browser with scripts, you can try every read-only route on this page. It needs no key: sign in to the portal, and requests use your
session, with the rights of the account's plan. They count and cost as with a key. To create, rotate and revoke keys, use the portal's
page Keys; for exports, use a program. Both do more than a page should do for a click. To send a key, use
\`Authorization: Bearer <key>\`; see [Keys](../keys.md).

Every response carries \`X-Request-Id\`, and every response to a recognised key its limits (\`RateLimit-Limit\`, \`RateLimit-Remaining\`,
\`RateLimit-Reset\`, \`RateLimit-Policy\`): see [Limits](../limits.md). Errors are problem documents: see [Errors](../errors.md). Any route may also
respond with 500 [\`INTERNAL\`](../errors.md#internal) or 503 [\`CAPACITY\`](../errors.md#capacity). Named schemas are on the page [Schemas](schemas.md).

<!-- Made by \`npm run docs\`; do not edit. -->`;

export function restPage(): string {
  const { tags, paths, components } = JSON.parse(openapiText(contractRoutes())) as OpenapiDocument;
  const named = components.schemas;
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  const sections = tags
    .filter(({ name }) => !LEFT_OUT.includes(name))
    .map(({ name, description }) => {
      const inside = operations.filter(({ operation }) => operation.tags.includes(name));
      const parts = inside.map((one) => operationText(one.method, one.path, one.operation, named));
      return [`## ${name}`, description, ...parts].join('\n\n');
    });
  return `${[INTRO, ...sections].join('\n\n')}\n`;
}

function operationText(
  method: string,
  path: string,
  operation: Operation,
  named: NamedSchemas,
): string {
  const { summary, description, parameters, requestBody } = operation;
  const body = requestBody?.content['application/json'];
  const parts = [
    `### ${method.toUpperCase()} ${path}`,
    `${summary} ${description}`,
    keyWords(operation),
    parameters.length === 0 ? null : parameterTable(parameters, named),
    body === undefined ? null : bodyText(body.schema, named),
    sampleText(method, path, operation),
    answerText(operation, named),
    refusals(operation),
  ];
  return parts.filter((part) => part !== null).join('\n\n');
}

function sampleText(method: string, path: string, operation: Operation): string {
  const { security, parameters, requestBody, responses } = operation;
  const query = parameters.filter((one) => one.in === 'query' && one.example !== undefined);
  const body = requestBody?.content['application/json']?.example;
  const success = Object.entries(responses).find(([status]) => status.startsWith('2'))![1];
  return requestSamples({
    method: method.toUpperCase(),
    path,
    needsKey: security.length === 1 && security[0]!.key !== undefined,
    query: Object.fromEntries(query.map(({ name, example }) => [name, example])),
    ...(body === undefined ? {} : { body }),
    isFile: success.content?.['application/json'] === undefined,
  });
}

/** Which key the operation needs. */
function keyWords({ security, 'x-scope': scope }: Operation): string {
  if (!security.some(({ key }) => key !== undefined)) return 'Needs no key.';
  if (security.length > 1) return 'Needs no key; a request with a key counts towards its limits.';
  return scope === undefined ? 'Needs a key.' : `Needs a key with the scope ${code(scope)}.`;
}

function parameterTable(parameters: readonly Parameter[], named: NamedSchemas): string {
  const rows = parameters.map(({ name, in: place, required, description, schema }) => {
    const whole = wholeSchema(schema, named);
    return [
      code(name),
      place,
      `${typeWords(whole)}${required ? '' : ' (optional)'}`,
      meaning({ ...whole, ...(description === undefined ? {} : { description }) }),
    ];
  });
  return table(['parameter', 'in', 'type', 'meaning'], rows);
}

/** The body also has its own section on the page of schemas. */
function bodyText(schema: JsonSchema, named: NamedSchemas): string {
  const whole = wholeSchema(schema, named);
  return `The body, ${schemaLink(whole.name!)} as JSON:\n\n${fieldTable(whole)}`;
}

function answerText({ responses }: Operation, named: NamedSchemas): string {
  const [status, answer] = Object.entries(responses).find(([name]) => name.startsWith('2'))!;
  const json = answer.content?.['application/json'];
  if (json === undefined) {
    const types = Object.keys(answer.content ?? {}).map(code);
    return `Responds with ${code(status)} and ${types.join(', ')}.`;
  }
  const whole = wholeSchema(json.schema, named);
  const told = whole.properties === undefined ? [] : [fieldTable(whole, 1)];
  const name = whole.name === undefined ? '' : ` and ${schemaLink(whole.name)}`;
  return [`Responds with ${code(status)}${name}:`, ...told, jsonBlock(json.example)].join('\n\n');
}

function refusals({ responses }: Operation): string {
  const links = Object.entries(responses)
    .filter(([status]) => Number(status) >= 400)
    .flatMap(([status, { description }]) =>
      description.split(', ').map((name) => {
        const anchor = errorAnchor(name.replaceAll('`', '') as ErrorCode);
        return `${status} [${name}](../errors.md#${anchor})`;
      }),
    );
  return `Possible errors: ${links.join(', ')}.`;
}
