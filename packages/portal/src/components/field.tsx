/** Label above, control, hint below. An error replaces the hint, and a screen reader reads it with the control. */

import type { ComponentChildren, Ref } from 'preact';
import { useId } from 'preact/hooks';
import { Icon } from './icon.tsx';

interface FieldParts {
  readonly label: ComponentChildren;
  readonly hint?: ComponentChildren;
  /** A whole sentence: what is wrong, and what would be accepted. */
  readonly error?: string | null | undefined;
}

interface InputAttributes {
  readonly type?: 'email' | 'datetime-local';
  readonly name?: string;
  readonly autocomplete?: 'email' | 'off';
  readonly autofocus?: boolean;
  readonly inputMode?: 'email';
  readonly maxLength?: number;
  readonly placeholder?: string;
  readonly spellcheck?: boolean;
}

export interface TextFieldProps extends FieldParts, InputAttributes {
  readonly value: string;
  readonly onInput: (value: string) => void;
  readonly isMono?: boolean;
  readonly inputRef?: Ref<HTMLInputElement>;
}

export function TextField(props: TextFieldProps) {
  const { label, hint, error, value, onInput, isMono, inputRef, ...attributes } = props;
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        // Preact types each kind of input separately, and this one has several kinds.
        {...(attributes as object)}
        ref={inputRef ?? null}
        id={id}
        class={isMono ? 'input mono' : 'input'}
        value={value}
        aria-invalid={error ? 'true' : undefined}
        aria-describedby={error || hint ? `${id}-note` : undefined}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
      <FieldNote id={`${id}-note`} hint={hint} error={error} />
    </div>
  );
}

export interface SelectFieldProps extends FieldParts {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly options: readonly { readonly value: string; readonly label: string }[];
  readonly autocomplete?: 'country';
}

export function SelectField(props: SelectFieldProps) {
  const { label, hint, error, value, onChange, options, ...attributes } = props;
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select
        {...attributes}
        id={id}
        class="input"
        value={value}
        aria-invalid={error ? 'true' : undefined}
        aria-describedby={error || hint ? `${id}-note` : undefined}
        onChange={(event) => onChange(event.currentTarget.value)}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
      <FieldNote id={`${id}-note`} hint={hint} error={error} />
    </div>
  );
}

export interface CheckFieldProps {
  readonly isChecked: boolean;
  readonly onChange: (isChecked: boolean) => void;
  /** In bold; the children explain it. */
  readonly title?: ComponentChildren;
  readonly children?: ComponentChildren;
  readonly class?: string;
  readonly name?: string;
  readonly error?: string | null | undefined;
  readonly inputRef?: Ref<HTMLInputElement>;
}

export function CheckField(props: CheckFieldProps) {
  const id = useId();
  return (
    <>
      <label class={['check', props.class].filter(Boolean).join(' ')}>
        <input
          ref={props.inputRef ?? null}
          type="checkbox"
          name={props.name}
          checked={props.isChecked}
          aria-invalid={props.error ? 'true' : undefined}
          aria-describedby={props.error ? `${id}-note` : undefined}
          onChange={(event) => props.onChange(event.currentTarget.checked)}
        />
        <span>
          {props.title !== undefined && <b>{props.title}</b>}
          {props.children}
        </span>
      </label>
      <FieldNote id={`${id}-note`} error={props.error} />
    </>
  );
}

/** For custom controls: give the control `aria-describedby={id}`. */
export function FieldNote(props: {
  readonly id: string;
  readonly hint?: ComponentChildren;
  readonly error?: string | null | undefined;
}) {
  if (props.error) {
    return (
      <p class="error" id={props.id} role="alert">
        <Icon name="warn" />
        <span>{props.error}</span>
      </p>
    );
  }
  if (!props.hint) return null;
  return (
    <p class="hint" id={props.id}>
      {props.hint}
    </p>
  );
}
