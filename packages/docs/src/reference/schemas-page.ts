/**
 * `docs/reference/schemas.md`: every named schema of the public API with its fields or values, from both documents.
 * Indicators' data is on their pages. Schemas of the portal alone are left out.
 */

import { publishedDefinitions } from '@tapeloom/core/studies/catalogue';
import { indicatorTypeName } from '@tapeloom/protocol/indicator-types';
import { contractRoutes } from '@tapeloom/server/http/contract/contract';
import { asyncapiText, openapiText } from '@tapeloom/server/http/contract/interface-documents';
import { docsPath } from '../docs-path.ts';
import { code } from '../markdown-table.ts';
import {
  fieldTable,
  type JsonSchema,
  type NamedSchemas,
  schemaLink,
  wholeSchema,
} from './schema-fields.ts';

export const SCHEMAS_PATH = docsPath('reference/schemas.md');

/** Groups without use for API clients. */
const LEFT_OUT: readonly string[] = ['Portal', 'Payments'];

interface Operation {
  readonly tags: readonly string[];
}
interface Document {
  readonly paths?: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: NamedSchemas };
}

const INTRO = `# Schemas

Every schema that has a name in the [REST](rest.md) or the [stream](stream.md) interface. Generators of clients make types of these names out of
\`/v1/openapi.json\` and \`/v1/asyncapi.json\`. Objects that the service sends may get more fields, and lists of words more
words: [Compatibility](../compatibility.md) says what may change. Messages of the stream are in [Stream interface](stream.md).

<!-- Made by \`npm run docs\`; do not edit. -->`;

export function schemasPage(): string {
  const rest = JSON.parse(openapiText(contractRoutes())) as Document;
  const stream = JSON.parse(asyncapiText()) as Document;
  const named = { ...stream.components.schemas, ...rest.components.schemas };
  const operations = Object.values(rest.paths ?? {})
    .flatMap((methods) => Object.values(methods))
    .filter(({ tags }) => !LEFT_OUT.includes(tags[0]!));
  const met = new Set<string>();
  const meet = (part: unknown) => {
    for (const [, name] of JSON.stringify(part).matchAll(/#\/components\/schemas\/(\w+)"/g)) {
      if (met.has(name!)) continue;
      met.add(name!);
      meet(named[name!]);
    }
  };
  meet(operations);
  meet(Object.values(stream.components.schemas));
  const names = [...met, ...Object.keys(stream.components.schemas)]
    .filter((name) => !name.endsWith('Message'))
    .sort();
  const sections = [...new Set(names)].map((name) => schemaText(name, named));
  return `${[INTRO, ...sections].join('\n\n')}\n`;
}

function schemaText(name: string, named: NamedSchemas): string {
  const { description, ...schema } = named[name]!;
  const heading = `## ${name}`;
  const told = description === undefined ? [] : [description];
  const indicator = publishedDefinitions().find(
    ({ id }) => name === `${indicatorTypeName(id)}Data`,
  );
  if (indicator !== undefined) {
    const page = `../indicators/${indicator.id}.md`;
    return [heading, `${description} Its fields: [${indicator.name}](${page}).`].join('\n\n');
  }
  return [heading, ...told, contentText(schema, named)].join('\n\n');
}

function contentText(schema: JsonSchema, named: NamedSchemas): string {
  const { properties, enum: words, anyOf, oneOf } = schema;
  if (properties !== undefined) return fieldTable(wholeSchema(schema, named), 1);
  if (words !== undefined) return `One of ${words.map((word) => code(String(word))).join(', ')}.`;
  const members = (anyOf ?? oneOf ?? []).map(({ $ref, type }) =>
    $ref === undefined ? `any other ${type}` : schemaLink($ref.split('/').at(-1)!),
  );
  return `One of ${members.join(', ')}.`;
}
