/** A box for one whole number, applied by Enter or its button. What cannot be is told below it. */

import { useId, useState } from 'preact/hooks';
import { Button } from '../../components/button.tsx';
import { FieldNote } from '../../components/field.tsx';
import { Form } from '../../components/form.tsx';
import { exactNumber } from '../../components/number-text.ts';

export function NumberBox(props: {
  readonly label: string;
  readonly unit: string;
  readonly max: number;
  readonly onNumber: (number: number) => void;
}) {
  const { label, unit, max } = props;
  const id = useId();
  const [typed, setTyped] = useState('');
  const [fault, setFault] = useState<string | null>(null);
  const apply = () => {
    const text = typed.trim();
    const number = Number(text);
    if (!/^\d{1,10}$/.test(text) || number < 1 || number > max) {
      setFault(`Type a whole number from 1 to ${exactNumber(max)}.`);
    } else props.onNumber(number);
  };
  return (
    <Form class="number-box" onSubmit={apply}>
      <label for={id}>{label}</label>
      <span class="box">
        <input
          id={id}
          class="input"
          inputMode="numeric"
          autocomplete="off"
          value={typed}
          aria-invalid={fault === null ? undefined : 'true'}
          aria-describedby={fault === null ? undefined : `${id}-note`}
          onInput={(event) => {
            setTyped(event.currentTarget.value);
            setFault(null);
          }}
        />
        <u>{unit}</u>
      </span>
      <Button size="sm" type="submit">
        Set
      </Button>
      <FieldNote id={`${id}-note`} error={fault} />
    </Form>
  );
}
