/** The next message to send: an example that the reader can edit. */

import { useId, useState } from 'preact/hooks';
import { Button } from '../components/button.tsx';
import { SelectField } from '../components/field.tsx';
import { Form } from '../components/form.tsx';
import type { ConsoleSession } from './console-session.ts';

export interface ConsoleExample {
  readonly name: string;
  readonly message: object;
}

export interface ConsoleFormProps {
  readonly examples: readonly ConsoleExample[];
  readonly session: ConsoleSession;
}

export function ConsoleForm({ examples, session }: ConsoleFormProps) {
  const id = useId();
  const [chosen, setChosen] = useState('0');
  const [text, setText] = useState(() => textOf(examples[0]?.message ?? { t: 'ping' }));
  const [fault, setFault] = useState<string | null>(null);
  return (
    <Form class="console-form" onSubmit={() => setFault(session.send(text))}>
      <SelectField
        label="Example"
        value={chosen}
        options={examples.map(({ name }, index) => ({ value: String(index), label: name }))}
        onChange={(value) => {
          setChosen(value);
          setText(textOf(examples[Number(value)]!.message));
          setFault(null);
        }}
      />
      <div class="field">
        <label for={`${id}-message`}>Message</label>
        <textarea
          id={`${id}-message`}
          class="input mono"
          rows={8}
          spellcheck={false}
          value={text}
          aria-invalid={fault !== null}
          aria-describedby={fault === null ? undefined : `${id}-fault`}
          onInput={({ currentTarget }) => {
            setText(currentTarget.value);
            setFault(null);
          }}
        />
        {fault !== null && (
          <span id={`${id}-fault`} class="error" role="alert">
            {fault}
          </span>
        )}
      </div>
      <div class="console-bar">
        <Button kind="primary" type="submit" isOff={session.state !== 'open'}>
          Send
        </Button>
        {session.names.map((name) => (
          <Button
            key={name}
            onClick={() => session.unsubscribe(name)}
            isOff={session.state !== 'open'}
          >
            Unsubscribe {name}
          </Button>
        ))}
      </div>
    </Form>
  );
}

function textOf(message: object): string {
  return JSON.stringify(message, null, 2);
}
