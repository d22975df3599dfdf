/**
 * The generated parts of `docs/semantics.md`: per indicator its chart, its definition word for word, its
 * parameters and data, and a worked example, between two marks. What people wrote around the marks
 * stays; an indicator the page does not know yet gets a section at its end.
 */

import { fileURLToPath } from 'node:url';
import { INDICATORS } from '@tapeloom/core/studies/catalogue';
import type { Indicator, JsonSchema, ParameterDefinition } from '@tapeloom/core/studies/indicator';
import { workedExample } from './worked-example.ts';

export const SEMANTICS_PATH = fileURLToPath(new URL('../../../docs/semantics.md', import.meta.url));

/** The page with every generated part brought up to date. */
export function semanticsPage(page: string): string {
  let text = page;
  for (const indicator of INDICATORS) {
    const { id, name } = indicator;
    const block = `${opening(id)}\n\n${generatedPart(indicator)}\n\n${closing(id)}`;
    const start = text.indexOf(opening(id));
    const end = text.indexOf(closing(id));
    text =
      start === -1 || end < start
        ? `${text.trimEnd()}\n\n### ${name}\n\n${block}\n`
        : `${text.slice(0, start)}${block}${text.slice(end + closing(id).length)}`;
  }
  return text;
}

/** The ids the page has a generated part for, in its order. */
export function idsOnPage(page: string): string[] {
  return [...page.matchAll(/^<!-- begin ([\w-]+) -->$/gm)].map(([, id]) => id!);
}

const opening = (id: string) => `<!-- begin ${id} -->`;
const closing = (id: string) => `<!-- end ${id} -->`;

function generatedPart(indicator: Indicator): string {
  const { id, name, description, parameters, data } = indicator;
  const example = workedExample(indicator);
  return [
    `![A chart of ${name}](charts/${id}.svg)`,
    `**Definition** of \`${id}\`, as the catalogue publishes it:`,
    `> ${description.replaceAll('<', '&lt;')}`,
    ['| parameter | default | allowed | meaning |', '| --- | --- | --- | --- |']
      .concat(parameters.map(parameterRow))
      .join('\n'),
    ['| data | type | meaning |', '| --- | --- | --- |'].concat(dataRows(data)).join('\n'),
    ...(example === null ? [] : [example]),
  ].join('\n\n');
}

function parameterRow(parameter: ParameterDefinition): string {
  const { name, description, category } = parameter;
  const view = category === 'view' ? ' Changes the view only.' : '';
  return row(
    `\`${name}\``,
    defaultText(parameter),
    allowedText(parameter),
    `${description}${view}`,
  );
}

function defaultText({ default: value, defaultBy }: ParameterDefinition): string {
  if (defaultBy === undefined) return `\`${value}\``;
  const each = Object.entries(defaultBy.values).map(([of, it]) => `\`${it}\` for ${of}`);
  return `by \`${defaultBy.by}\`: ${each.join(', ')}`;
}

function allowedText(parameter: ParameterDefinition): string {
  const { type, minimum, maximum, multipleOf, values = [], unit } = parameter;
  const words = values.map((value) => `\`${value}\``);
  if (type === 'boolean') return '`true`, `false`';
  if (type === 'string') return words.join(', ');
  const step = multipleOf === undefined ? '' : ` in steps of ${multipleOf}`;
  const range = `${numberText(minimum)} to ${numberText(maximum)}${step}`;
  return [...words, unit === undefined ? range : `${range} ${unit}`].join(', or ');
}

function dataRows(schema: JsonSchema): string[] {
  const properties = schema.properties as Readonly<Record<string, JsonSchema>>;
  return Object.entries(properties).map(([name, { type, enum: values, description }]) => {
    const kind = Array.isArray(values)
      ? values.map((value) => `\`${JSON.stringify(value)}\``).join(', ')
      : [type].flat().join(' or ');
    return row(`\`${name}\``, kind, String(description ?? ''));
  });
}

function row(...cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}

function numberText(value: number | undefined): string {
  return value === undefined ? '…' : value.toLocaleString('en');
}
