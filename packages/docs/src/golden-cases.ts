/** Renders an indicator's golden vectors for its page: every case, and the updates of one. */

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { indicatorNamed } from '@tapeloom/core/studies/catalogue';
import { type GoldenVector, goldenVectors } from '@tapeloom/core/studies/digests/golden-vector';
import { code, table } from './markdown-table.ts';

/** Updates shown of that case. */
const UPDATES_SHOWN = 8;
/** Named members of an update, and characters of a value. */
const MEMBERS_SHOWN = 8;
const VALUE_LENGTH_MAX = 60;

interface VectorUpdate {
  readonly t?: 'remove';
  readonly cursor: string;
  readonly id: string;
  readonly final: boolean;
  readonly data?: Readonly<Record<string, unknown>>;
}

type VectorCase = GoldenVector & { readonly log: readonly VectorUpdate[] };

/** Empty if the indicator has no vectors yet. */
export function casesOf(id: string): readonly VectorCase[] {
  const file = new URL(`../../../contract/vectors/${fileOf(id)}`, import.meta.url);
  let text: string;
  try {
    text = readFileSync(fileURLToPath(file), 'utf8');
  } catch {
    return [];
  }
  return goldenVectors(text) as readonly VectorCase[];
}

function fileOf(id: string): string {
  return `${id}.v${indicatorNamed(id)!.version}.jsonl`;
}

/** As Markdown; null when there are none. */
export function goldenSection(id: string): string | null {
  const cases = casesOf(id);
  const shown = cases.find(({ log }) => log.length > 0);
  if (shown === undefined) return null;
  const file = fileOf(id);
  const rows = cases.map((it) => [
    code(it.case),
    it.shows,
    String(it.tape.length),
    String(it.log.length),
  ]);
  const left = shown.log.length - UPDATES_SHOWN;
  return [
    `Hand-checked tapes with every update they cause. If you compute this indicator from the rule, you must get exactly these updates. All cases are in [${file}](../../contract/vectors/${file}), one a line; see [the README beside it](../../contract/vectors/README.md).`,
    table(['case', 'what it shows', 'trades', 'updates'], rows, [2, 3]),
    `The updates of ${code(shown.case)}, each with its changes${left > 0 ? `; the first ${UPDATES_SHOWN} of ${shown.log.length}` : ''}:`,
    table(['cursor', 'object', 'final', 'what is new'], updateRows(shown.log)),
  ].join('\n\n');
}

function updateRows(log: readonly VectorUpdate[]): readonly (readonly string[])[] {
  const known = new Map<string, Readonly<Record<string, unknown>>>();
  return log.slice(0, UPDATES_SHOWN).map(({ t, cursor, id, final, data = {} }) => {
    const before = known.get(id);
    known.set(id, data);
    const changes = t === 'remove' ? 'removed' : changesOf(before, data);
    return [code(cursor), code(id), final ? 'yes' : 'no', changes];
  });
}

function changesOf(
  before: Readonly<Record<string, unknown>> | undefined,
  data: Readonly<Record<string, unknown>>,
): string {
  const changed = Object.entries(data).filter(
    ([name, value]) => JSON.stringify(before?.[name]) !== JSON.stringify(value),
  );
  if (changed.length === 0) return 'nothing but `final`';
  const words = changed.slice(0, MEMBERS_SHOWN).map(([name, value]) => {
    const text = JSON.stringify(value);
    return `${code(name)} ${text.length > VALUE_LENGTH_MAX ? '…' : text}`;
  });
  const more = changed.length - words.length;
  return `${words.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
