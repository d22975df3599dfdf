/** The instruments that a key is restricted to, entered one by one as removable tokens. */

import { useId, useRef, useState } from 'preact/hooks';
import { FieldNote } from '../../components/field.tsx';
import { entriesOf } from './new-key-form.ts';

export interface InstrumentsFieldProps {
  readonly value: readonly string[];
  /** Suggestions while typing. */
  readonly known: readonly string[];
  readonly error: string | undefined;
  readonly onChange: (value: readonly string[]) => void;
}

export function InstrumentsField({ value, known, error, onChange }: InstrumentsFieldProps) {
  const id = useId();
  const [typed, setTyped] = useState('');
  const input = useRef<HTMLInputElement>(null);
  const add = (text: string) => {
    const added = entriesOf(text).filter((entry) => !value.includes(entry));
    if (added.length > 0) onChange([...value, ...added]);
    setTyped('');
  };
  const remove = (name: string) => {
    onChange(value.filter((it) => it !== name));
    input.current?.focus();
  };
  const press = (event: KeyboardEvent) => {
    if (event.key === 'Enter') {
      // Enter must not submit the form: a known name is already a token, and a key cannot be changed later.
      event.preventDefault();
      add(typed);
    }
    if (event.key === 'Backspace' && typed === '' && value.length > 0) remove(value.at(-1)!);
  };
  return (
    <div class="field">
      <label for={id}>Instruments</label>
      <div class="tokens">
        {value.map((name) => (
          <span class="token" key={name}>
            <bdi>{name}</bdi>
            <button type="button" aria-label={`Remove ${name}`} onClick={() => remove(name)}>
              ×
            </button>
          </span>
        ))}
        <input
          ref={input}
          id={id}
          list={`${id}-known`}
          value={typed}
          placeholder={value.length === 0 ? 'ES.c.0' : 'Add'}
          autocomplete="off"
          spellcheck={false}
          aria-invalid={error === undefined ? undefined : 'true'}
          aria-describedby={`${id}-note`}
          onKeyDown={press}
          onBlur={() => add(typed)}
          onInput={(event) => {
            const text = event.currentTarget.value;
            if (/[\s,;]/.test(text) || known.includes(text)) add(text);
            else setTyped(text);
          }}
        />
        <datalist id={`${id}-known`}>
          {known.map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
      </div>
      <FieldNote
        id={`${id}-note`}
        hint="Empty: all instruments. Press Enter after each."
        error={error}
      />
    </div>
  );
}
