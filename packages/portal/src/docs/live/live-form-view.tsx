/** The form of a live part: instrument and parameters. */

import type { IndicatorDefinition } from '@tapeloom/core/studies/indicator';
import { useState } from 'preact/hooks';
import type { InstrumentView } from '../../api/portal-shapes.ts';
import { Button } from '../../components/button.tsx';
import { SelectField, TextField } from '../../components/field.tsx';
import { Form } from '../../components/form.tsx';
import { formFields, readForm, type Typed } from '../../components/parameter-form.ts';

export interface Chosen {
  readonly instrument: string;
  readonly typed: Typed;
}

export function LiveFormView(props: {
  readonly definition: IndicatorDefinition;
  readonly instruments: readonly InstrumentView[];
  readonly chosen: Chosen;
  readonly onChosen: (chosen: Chosen) => void;
}) {
  const { definition, chosen, onChosen } = props;
  const [instrument, setInstrument] = useState(chosen.instrument);
  const [typed, setTyped] = useState<Typed>(chosen.typed);
  const [faults, setFaults] = useState<Readonly<Record<string, string>>>({});
  const apply = () => {
    const read = readForm(definition, typed);
    setFaults('faults' in read ? read.faults : {});
    if (!('faults' in read)) onChosen({ instrument, typed });
  };
  const type = (name: string, value: string) => {
    const next = { ...typed, [name]: value };
    setTyped(next);
    // A fault disappears as soon as its field is right.
    const read = readForm(definition, next);
    const wrong = 'faults' in read ? read.faults : {};
    setFaults(Object.fromEntries(Object.entries(faults).filter(([field]) => field in wrong)));
  };
  return (
    <details class="live-settings">
      <summary>Instrument and parameters</summary>
      <Form class="live-form" onSubmit={apply}>
        <SelectField
          label="Instrument"
          value={instrument}
          onChange={setInstrument}
          options={instrumentOptions(props.instruments)}
        />
        {formFields(definition, typed).map(({ name, kind, options, placeholder, hint }) =>
          kind === 'choice' ? (
            <SelectField
              key={name}
              label={<code>{name}</code>}
              value={typed[name] ?? placeholder}
              onChange={(value) => type(name, value)}
              options={options.map((value) => ({ value, label: value }))}
              error={faults[name]}
            />
          ) : (
            <TextField
              key={name}
              label={<code>{name}</code>}
              value={typed[name] ?? ''}
              placeholder={placeholder}
              hint={hint}
              autocomplete="off"
              onInput={(value) => type(name, value)}
              error={faults[name]}
            />
          ),
        )}
        <div class="live-apply">
          <Button type="submit" kind="primary">
            Apply
          </Button>
          <Button
            kind="ghost"
            onClick={() => {
              setTyped({});
              setFaults({});
            }}
          >
            Defaults
          </Button>
        </div>
      </Form>
    </details>
  );
}

function instrumentOptions(instruments: readonly InstrumentView[]) {
  return instruments.flatMap(({ alias, symbol, name, status }) => {
    const value = alias ?? symbol;
    const words = name === undefined ? value : `${value}: ${name}`;
    return [{ value, label: status === 'open' ? words : `${words} (${status})` }];
  });
}
