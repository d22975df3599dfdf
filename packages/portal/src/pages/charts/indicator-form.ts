/**
 * The form of an indicator in the drawer: its fields in the order in which people think of them, what is typed, and
 * what it means for the chart.
 */

import type { ChartSpec } from '@tapeloom/charts/spec/chart-spec';
import type {
  GivenParams,
  IndicatorDefinition,
  ParameterDefinition,
} from '@tapeloom/core/studies/indicator';
import { valueText } from '@tapeloom/core/studies/parameter-words';
import { isSameValue, parseParams } from '@tapeloom/core/studies/params';
import {
  formFields,
  type ReadForm,
  readForm,
  type Typed,
} from '../../components/parameter-form.ts';
import { type ChartItem, chartItems } from './chart-items.ts';
import {
  BARS_KEY,
  barsItem,
  freeKey,
  keptParams,
  shownParams,
  withIndicator,
  withItemParams,
} from './item-changes.ts';
import { PARAMETER_LABELS, PARAMETER_ORDER, unitText, VALUE_LABELS } from './parameter-names.ts';

export interface DrawerField {
  readonly name: string;
  readonly label: string;
  readonly hint: string;
  readonly unit: string;
  /** A few values to choose from; empty: a box to type into. */
  readonly choices: readonly (readonly [value: string, label: string])[];
  readonly value: string;
  readonly placeholder: string;
  /** It differs from the default of the indicator. */
  readonly isChanged: boolean;
  readonly isWide: boolean;
}

/** More words than fit beside another field. */
const WIDE_FROM = 3;

export function drawerFields(
  definition: IndicatorDefinition,
  typed: Typed,
): readonly DrawerField[] {
  const read = readForm(definition, typed);
  const given = 'given' in read ? read.given : {};
  const rank = (name: string) => {
    const at = PARAMETER_ORDER.indexOf(name);
    return at === -1 ? PARAMETER_ORDER.length : at;
  };
  return formFields(definition, typed)
    .map((field): DrawerField => {
      const { name, options, placeholder, hint } = field;
      const parameter = definition.parameters.find((it) => it.name === name)!;
      const choices = options.map((value) => [value, VALUE_LABELS[value] ?? value] as const);
      return {
        ...{ name, hint, placeholder },
        label: PARAMETER_LABELS[name] ?? name,
        unit: unitText(name, unitOf(parameter), typed.bar ?? 'time'),
        choices: field.kind === 'choice' ? choices : [],
        value: typed[name] ?? (field.kind === 'choice' ? placeholder : ''),
        isChanged: name in given,
        isWide: field.kind === 'choice' && options.length >= WIDE_FROM,
      };
    })
    .toSorted((a, b) => rank(a.name) - rank(b.name));
}

/** What a new indicator's form begins with: the chart's own bars, and the indicator's defaults. */
export function newTyped(definition: IndicatorDefinition, spec: ChartSpec): Typed {
  const bars = barsItem(spec);
  if (definition.id === bars.indicator) return typedOf(bars.params);
  return typedOf(shownParams(definition, spec, {}));
}

export function editedTyped(
  definition: IndicatorDefinition,
  spec: ChartSpec,
  item: ChartItem,
): Typed {
  return typedOf(item.key === BARS_KEY ? item.params : shownParams(definition, spec, item.params));
}

/** A preset says everything: what it does not name has its default. */
export function presetTyped(definition: IndicatorDefinition, params: GivenParams): Typed {
  const parsed = parseParams(definition, params);
  if ('faults' in parsed) return typedOf(params);
  const computing = definition.parameters.filter(({ category }) => category !== 'view');
  // Rows of a footprint that no preset asks for are chosen by the chart.
  const named = computing.filter(({ name }) => !isRowsOfCells(definition, name) || name in params);
  return typedOf(Object.fromEntries(named.map(({ name }) => [name, parsed.params[name]!])));
}

/** Null: no preset means what is typed. */
export function presetOf(definition: IndicatorDefinition, typed: Typed): string | null {
  const read = readForm(definition, typed);
  if (!('params' in read)) return null;
  const found = definition.presets.find(({ params }) => {
    const parsed = parseParams(definition, params);
    if ('faults' in parsed) return false;
    return definition.parameters
      .filter(({ category }) => category !== 'view')
      .every(({ name }) => isSameValue(parsed.params[name], read.params[name]));
  });
  return found?.id ?? null;
}

/** The chart as the form would make it; null while something in it is wrong. */
export function specWith(
  definition: IndicatorDefinition,
  spec: ChartSpec,
  form: { readonly typed: Typed; readonly editing: string | null },
): ChartSpec | null {
  const read = readForm(definition, form.typed);
  if (!('params' in read)) return null;
  const { id } = definition;
  if (id === 'footprint' || id === 'bars') {
    return withIndicator(spec, id, barsParams(definition, read, form.typed), BARS_KEY);
  }
  const params = keptParams(definition, spec, read);
  const isLayer = spec.layers.some(({ key }) => key === form.editing);
  if (form.editing !== null && isLayer) return withItemParams(spec, form.editing, params);
  return withIndicator(spec, id, params, freeKey(spec, id));
}

/** The key under which the form's indicator stands in the chart that the form would make. */
export function layerKeyOf(spec: ChartSpec, next: ChartSpec, editing: string | null): string {
  const added = next.layers.find(({ key }) => !spec.layers.some((layer) => layer.key === key));
  return added?.key ?? editing ?? BARS_KEY;
}

export function itemOf(spec: ChartSpec, key: string): ChartItem | null {
  if (key === BARS_KEY) return barsItem(spec);
  return chartItems(spec).find((item) => item.key === key) ?? null;
}

function barsParams(
  definition: IndicatorDefinition,
  read: Extract<ReadForm, { params: unknown }>,
  typed: Typed,
): GivenParams {
  const shown = definition.parameters.filter(({ category }) => category !== 'view');
  const all = shown.map(({ name }) => [name, read.params[name]!] as const);
  // An empty box leaves the rows to the chart.
  const isAuto = (typed.group ?? '').trim() === '';
  return Object.fromEntries(all.filter(([name]) => name !== 'group' || !isAuto));
}

function isRowsOfCells({ id }: IndicatorDefinition, name: string): boolean {
  return id === 'footprint' && name === 'group';
}

function typedOf(params: GivenParams): Typed {
  return Object.fromEntries(
    Object.entries(params).map(([name, value]) => [name, valueText(value)]),
  );
}

function unitOf({ unit }: ParameterDefinition): string | undefined {
  return unit;
}
