/**
 * The page of every indicator, `docs/indicators/<id>.md`, and the list of them: from the catalogue, the golden vectors, real
 * runs of the studies and our own words (`indicator-texts.ts`). Nothing of it is written by hand, so nothing of it can be
 * stale; an indicator that nobody wrote words for has all the rest.
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

/** What it is for, in our words or else the first words of its definition. */
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
    'Every indicator with its chart: what it is for, the exact rule, its parameters and fields, worked numbers, and a chart that moves.',
    'The charts are drawn from real runs of the studies over one simulated market. The same definitions are data at `GET /v1/indicators`; what words such as cursor, final and look-back mean is in [the glossary](../semantics.md).',
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
    'A recorded minute for everybody; the market itself, with parameters of your choice, for who is signed in.',
    `<!-- live ${id} -->`,
    '## The rule',
    'Word for word what the catalogue publishes, so that anybody can compute the same numbers from the same trades.',
    ...ruleOf(indicator),
    '## Parameters',
    'All are optional. Whatever differs from a default makes a custom configuration; how many of these may be open is a limit of the plan.',
    parametersTable(parameters),
    '## Fields',
    'The members of `data`. Prices are whole ticks: multiply by `tickSizeNanos` / 1,000,000,000 for the currency.',
    fieldsTable(data),
    ...(example === null ? [] : ['## Worked example', example]),
    ...(golden === null ? [] : ['## Golden vectors', golden]),
    '## Samples',
    samplesSection(indicator, text?.sample ?? {}),
  ].join('\n\n')}\n`;
}

/** What one wants to know before the details. */
function glance(indicator: Indicator, text: IndicatorText | undefined): string {
  const { id, version, computeUnitsPerTrade, parameters } = indicator;
  const hasBars = parameters.some(({ name }) => name === 'bar');
  const units = `${computeUnitsPerTrade} compute unit${computeUnitsPerTrade === 1 ? '' : 's'} for each trade read`;
  const rows: (readonly [string, string])[] = [
    ['Ask for it as', `${code(id)}, version ${version}`],
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
          ['Its id', text.id],
          ['From earlier sessions', text.sessions],
        ] as const)),
    ['Look-back', lookBackText(indicator)],
    [
      'Cost',
      `In [history](../history.md#what-it-costs) and exports ${units}. A stream costs none, unless it begins before today.`,
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
  if (sessions === 0) return 'None. A session that is not whole on the tape gives no history.';
  const counted = `${sessions} session${sessions === 1 ? '' : 's'}`;
  return indicator.objectsOutliveSession === true
    ? `${counted} unless ${code('lookback')} says otherwise: exactly so many are read, whatever of them is on the tape.`
    : `At most ${counted} back, to the newest that is whole on the tape.`;
}

/** The rules of bars stand on the page of bars, once. */
function ruleOf({ id, description }: Indicator): readonly string[] {
  const own = description.replace(BAR_RULES, '').trim();
  if (own === description) return labelled(description);
  if (id === 'bars') return [...labelled(own), '### What ends a bar', ...labelled(BAR_RULES)];
  return [
    ...labelled(own),
    'When a bar ends, its id and its times: [what ends a bar](bars.md#what-ends-a-bar).',
  ];
}

/** What begins with a name and a colon becomes a line of a list; no word is changed. */
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
