/**
 * Generates the page of every indicator, `docs/indicators/<id>.md`, and their list, from the catalogue, the golden
 * vectors, real study runs and our own texts (`indicator-texts.ts`). Nothing is written by hand, so nothing becomes
 * stale. An indicator without a text has everything else.
 */

import { BAR_RULES } from '@tapeloom/core/studies/bar-parameters';
import { INDICATORS } from '@tapeloom/core/studies/catalogue';
import type { Indicator } from '@tapeloom/core/studies/indicator';
import { parseParams } from '@tapeloom/core/studies/params';
import { docsPath } from './docs-path.ts';
import { goldenSection } from './golden-cases.ts';
import { samplesSection } from './indicator-samples.ts';
import { fieldsTable, parametersTable } from './indicator-tables.ts';
import { INDICATOR_TEXTS, type IndicatorText } from './indicator-texts.ts';
import { code, table } from './markdown-table.ts';
import { workedExample } from './worked-example.ts';

const folder = docsPath('indicators/');

export interface IndicatorPage {
  readonly path: string;
  readonly text: string;
}

export function indicatorPages(): readonly IndicatorPage[] {
  return [
    { path: `${folder}README.md`, text: listPage() },
    ...INDICATORS.map((indicator) => ({
      path: `${folder}${indicator.id}.md`,
      text: pageOf(indicator),
    })),
  ];
}

/** Our text about its purpose, or else the first sentence of its definition. */
export function purposeOf({ id, description }: Indicator): string {
  return INDICATOR_TEXTS[id]?.purpose ?? `${description.split('. ')[0]}.`;
}

function listPage(): string {
  const parts = INDICATORS.map((indicator) => {
    const { id, name } = indicator;
    return [
      `## [${name}](${id}.md)`,
      `![${name}, drawn small](../charts/${id}-small.svg)`,
      purposeOf(indicator),
    ].join('\n\n');
  });
  return `${[
    '# Indicators',
    'Each indicator has a page with its purpose, the exact rule, its parameters and fields, a worked example, and a live chart.',
    'The charts come from real runs over one simulated market. `GET /v1/indicators` returns the same definitions as data. [The glossary](../semantics.md) defines words such as cursor, final and look-back.',
    ...parts,
  ].join('\n\n')}\n`;
}

function pageOf(indicator: Indicator): string {
  const { id, name, parameters, data } = indicator;
  const text = INDICATOR_TEXTS[id];
  const example = workedExample(indicator);
  const golden = goldenSection(id);
  return `${[
    `# ${name}`,
    `![A chart of ${name}](../charts/${id}.svg)`,
    purposeOf(indicator),
    ...(text === undefined ? [] : [text.reading]),
    glance(indicator, text),
    '## Live',
    'Without signing in, you see a recorded minute. Sign in to see the market itself, with parameters of your choice.',
    `<!-- live ${id} -->`,
    '## The rule',
    'The exact text of the catalogue. With it you can compute the same numbers from the same trades.',
    ...ruleOf(indicator),
    '## Parameters',
    'All are optional. A subscription with a parameter that differs from its default is a custom configuration; your plan limits their number.',
    parametersTable(parameters),
    '## Fields',
    'The fields of `data`. Prices are in whole ticks: multiply by `tickSizeNanos` / 1,000,000,000 for currency.',
    fieldsTable(data),
    ...(example === null ? [] : ['## Worked example', example]),
    ...(golden === null ? [] : ['## Golden vectors', golden]),
    '## Samples',
    samplesSection(indicator, text?.sample ?? {}),
  ].join('\n\n')}\n`;
}

function glance(indicator: Indicator, text: IndicatorText | undefined): string {
  const { id, version, computeUnitsPerTrade, parameters } = indicator;
  const hasBars = parameters.some(({ name }) => name === 'bar');
  const units = `${computeUnitsPerTrade} compute unit${computeUnitsPerTrade === 1 ? '' : 's'} for each trade read`;
  const rows: (readonly [string, string])[] = [
    ['Id', `${code(id)}, version ${version}`],
    [
      'Bars',
      hasBars
        ? `All six kinds: ${barKinds(indicator)}. See [what ends a bar](${id === 'bars' ? '' : 'bars.md'}#what-ends-a-bar).`
        : 'Not built on bars.',
    ],
    ...(text === undefined
      ? []
      : ([
          ['An object is final', text.final],
          ['Id of an object', text.id],
          ['From earlier sessions', text.sessions],
        ] as const)),
    ['Look-back', lookBackText(indicator)],
    [
      'Cost',
      `In [history](../history.md#what-it-costs) and exports ${units}. A stream is free, unless it begins before today.`,
    ],
  ];
  return table(['', ''], rows);
}

function barKinds({ parameters }: Indicator): string {
  const { values = [] } = parameters.find(({ name }) => name === 'bar')!;
  return values.map(code).join(', ');
}

function lookBackText(indicator: Indicator): string {
  const parsed = parseParams(indicator, {});
  if (!('params' in parsed)) throw new RangeError(`${indicator.id} refuses its defaults`);
  const sessions = indicator.lookBackSessionsMax(parsed.params);
  if (sessions === 0) return 'None. History needs a complete session on the tape.';
  const counted = `${sessions} session${sessions === 1 ? '' : 's'}`;
  return indicator.objectsOutliveSession === true
    ? `${counted}, or the number in ${code('lookback')}. The computation always goes back exactly this far, even if some of these sessions are missing.`
    : `At most ${counted} back, to the newest complete one on the tape.`;
}

/** The rules of bars appear once, on the page of bars. */
function ruleOf({ id, description }: Indicator): readonly string[] {
  const own = description.replace(BAR_RULES, '').trim();
  if (own === description) return labelled(description);
  if (id === 'bars') return [...labelled(own), '### What ends a bar', ...labelled(BAR_RULES)];
  return [
    ...labelled(own),
    'When a bar ends, its id and its times: [what ends a bar](bars.md#what-ends-a-bar).',
  ];
}

/** Turns parts that begin with a name and a colon into list items, without changing a word. */
function labelled(rule: string): readonly string[] {
  const [first = '', ...rest] = rule
    .replaceAll('<', '&lt;')
    .split(/(?<=[.;]) (?=[a-zA-Z]+(?:(?:, | and )[a-zA-Z]+)*: )/);
  const items = rest.map((part) => {
    const [label] = /^[^:]+/.exec(part)!;
    return `- **${label}**${part.slice(label.length)}`;
  });
  const lead = /^[a-zA-Z]+(?:(?:, | and )[a-zA-Z]+)*: /.test(first) ? `- ${first}` : first;
  return items.length === 0 ? [lead] : [lead, items.join('\n')];
}
