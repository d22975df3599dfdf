/** An indicator's form in the drawer: presets first, then the fields of its schema in pairs. */

import { useEffect, useId, useRef } from 'preact/hooks';
import { FieldNote } from '../../components/field.tsx';
import { type DrawerField, drawerFields, presetOf } from './indicator-form.ts';
import { Segments } from './menu.tsx';
import type { WorkingForm } from './use-indicator-form.ts';

export function IndicatorForm({ form }: { readonly form: WorkingForm }) {
  const { definition, typed } = form;
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // With its own row above it: the form of a row near the bottom would open out of sight.
    const row = place.current?.previousElementSibling;
    const list = place.current?.closest('.drawer-scroll');
    if (row == null || list == null) return;
    list.scrollTop += row.getBoundingClientRect().top - list.getBoundingClientRect().top;
  }, [definition]);
  if (definition === null) return null;
  const chosen = presetOf(definition, typed);
  return (
    <div class="indicator-form" ref={place}>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset would need a legend on screen. */}
      <div class="presets" role="group" aria-label="Presets">
        {definition.presets.map(({ id, name }) => (
          <button
            key={id}
            type="button"
            aria-pressed={id === chosen}
            onClick={() => form.choosePreset(id)}
          >
            {name}
          </button>
        ))}
      </div>
      <div class="fields">
        {drawerFields(definition, typed).map((field) => (
          <Field key={field.name} field={field} form={form} />
        ))}
      </div>
    </div>
  );
}

function Field({ field, form }: { readonly field: DrawerField; readonly form: WorkingForm }) {
  const id = useId();
  const { name, label, choices, isChanged, isWide } = field;
  const fault = form.faults[name] ?? null;
  const changed = isChanged && <i title="Differs from the default">changed</i>;
  const classes = ['param', isWide && 'wide'].filter(Boolean).join(' ');
  if (choices.length > 0) {
    return (
      <div class={classes}>
        <span class="label">
          {label}
          {changed}
        </span>
        <Segments
          label={label}
          values={choices}
          chosen={field.value}
          onChoose={(value) => form.type(name, value)}
        />
      </div>
    );
  }
  return (
    <div class={classes}>
      <label class="label" for={id}>
        {label}
        {changed}
      </label>
      <span class="box">
        <input
          id={id}
          class="input"
          inputMode="decimal"
          autocomplete="off"
          value={field.value}
          placeholder={placeholderOf(form, field)}
          title={field.hint}
          aria-invalid={fault === null ? undefined : 'true'}
          aria-describedby={fault === null ? undefined : `${id}-note`}
          onInput={(event) => form.type(name, event.currentTarget.value)}
        />
        <u aria-hidden="true">{field.unit}</u>
      </span>
      <FieldNote id={`${id}-note`} error={fault} />
    </div>
  );
}

/** Rows of the footprint that nobody has fixed are the chart's to choose. */
function placeholderOf({ definition }: WorkingForm, { name, placeholder }: DrawerField): string {
  return definition?.id === 'footprint' && name === 'group' ? 'auto' : placeholder;
}
