/** The form of one indicator at work: what is typed, what is wrong, and the chart that it would make, shown 300 ms after the last key. */

import type { ChartSpec } from '@tapeloom/charts/spec/chart-spec';
import type { IndicatorDefinition } from '@tapeloom/core/studies/indicator';
import { useEffect, useRef, useState } from 'preact/hooks';
import { readForm, type Typed } from '../../components/parameter-form.ts';
import { useDesk, useSeat } from './desk-context.tsx';
import { editedTyped, itemOf, newTyped, presetTyped, specWith } from './indicator-form.ts';
import { isFreePreview } from './preview.ts';

const PREVIEW_MS = 300;

export interface WorkingForm {
  readonly definition: IndicatorDefinition | null;
  readonly editing: string | null;
  readonly typed: Typed;
  readonly faults: Readonly<Record<string, string>>;
  /** The chart before the form. */
  readonly before: ChartSpec;
  /** Null while something is wrong. */
  readonly next: ChartSpec | null;
  readonly type: (name: string, value: string) => void;
  readonly choosePreset: (id: string) => void;
}

export function useIndicatorForm(
  definition: IndicatorDefinition | null,
  editing: string | null,
): WorkingForm {
  const desk = useDesk();
  const { seat, spec } = useSeat();
  const place = `${seat.key} ${definition?.id} ${editing}`;
  const [state, setState] = useState({ place: '', typed: {} as Typed });
  const typed = state.place === place ? state.typed : firstTyped(definition, spec, editing);
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null);
  const set = (next: Typed) => setState({ place, typed: next });
  const next = definition === null ? null : specWith(definition, spec, { typed, editing });
  const read = definition === null ? null : readForm(definition, typed);
  const hasTyped = state.place === place;
  useEffect(() => {
    if (!hasTyped || next === null) return undefined;
    const waiting = setTimeout(() => {
      if (isFreePreview(spec, next)) desk.showPreview(next);
    }, PREVIEW_MS);
    timer.current = waiting;
    return () => clearTimeout(waiting);
  }, [typed]);
  return {
    ...{ definition, editing, typed, next },
    before: spec,
    faults: read !== null && 'faults' in read ? read.faults : {},
    type: (name, value) => set({ ...typed, [name]: value }),
    choosePreset: (id) => {
      const preset = definition?.presets.find((it) => it.id === id);
      if (definition !== null && preset !== undefined) set(presetTyped(definition, preset.params));
    },
  };
}

function firstTyped(
  definition: IndicatorDefinition | null,
  spec: ChartSpec,
  editing: string | null,
): Typed {
  if (definition === null) return {};
  const item = editing === null ? null : itemOf(spec, editing);
  return item === null ? newTyped(definition, spec) : editedTyped(definition, spec, item);
}
