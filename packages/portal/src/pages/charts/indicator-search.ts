/** The list of the drawer: indicators in their groups, found by their names, what they do, and their presets. */

import type { IndicatorDefinition } from '@tapeloom/core/studies/indicator';
import { INDICATOR_FACTS } from './indicator-facts.ts';
import { INDICATOR_GROUPS, OTHER_GROUP } from './parameter-names.ts';

export interface ListedGroup {
  readonly name: string;
  readonly indicators: readonly IndicatorDefinition[];
}

export function listedGroups(
  catalogue: readonly IndicatorDefinition[],
  typed: string,
): readonly ListedGroup[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const found = catalogue.filter((definition) => {
    const text = searchText(definition);
    return words.every((word) => text.includes(word));
  });
  const byId = new Map(found.map((definition) => [definition.id, definition]));
  const grouped = INDICATOR_GROUPS.map(([name, ids]) => ({
    name,
    indicators: ids.flatMap((id) => byId.get(id) ?? []),
  }));
  const named = new Set(INDICATOR_GROUPS.flatMap(([, ids]) => ids));
  const others = found.filter(({ id }) => !named.has(id));
  return [...grouped, { name: OTHER_GROUP, indicators: others }].filter(
    ({ indicators }) => indicators.length > 0,
  );
}

function searchText({ id, name, presets }: IndicatorDefinition): string {
  const { say = '', short = '' } = INDICATOR_FACTS[id] ?? {};
  const words = [id, name, short, say, ...presets.map((preset) => preset.name)];
  return words.join(' ').toLowerCase();
}
