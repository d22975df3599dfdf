/** Creates a key. Errors of the service are shown at their fields, and the first one gets the focus. */

import { useEffect, useRef, useState } from 'preact/hooks';
import { portalApi } from '../../api/portal-api.ts';
import type { CreatedKey, Environment, NewKey, Scope } from '../../api/portal-shapes.ts';
import { useAction } from '../../api/use-action.ts';
import { useLoaded } from '../../api/use-loaded.ts';
import { Button } from '../../components/button.tsx';
import { type Choice, Choices } from '../../components/choices.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { CheckField, FieldNote, TextField } from '../../components/field.tsx';
import { ErrorNotice } from '../../components/notice.tsx';
import { InstrumentsField } from './instruments-field.tsx';
import {
  EMPTY_FORM,
  type FieldErrors,
  type FieldName,
  firstField,
  formErrors,
  hasOtherErrors,
  type KeyForm,
  newKeyOf,
  SCOPES,
  shownErrors,
} from './new-key-form.ts';

const RESTRICTIONS: readonly FieldName[] = ['instruments', 'allowedIps', 'expiresAt'];

interface FormPart {
  readonly form: KeyForm;
  readonly errors: FieldErrors;
  readonly change: (fields: Partial<KeyForm>) => void;
}

export function NewKeyDialog(props: {
  readonly onMade: (key: CreatedKey) => void;
  readonly onClose: () => void;
}) {
  const [form, setForm] = useState(EMPTY_FORM);
  const [own, setOwn] = useState<FieldErrors>({});
  const sent = useRef<NewKey | null>(null);
  const body = useRef<HTMLDivElement>(null);
  const create = useAction(async (key: NewKey) => {
    sent.current = key;
    props.onMade(await portalApi.createKey(key));
  });
  const errors = shownErrors(form, own, { error: create.error, sent: sent.current });
  useEffect(() => {
    const first = firstField(errors);
    if (first !== null) focusField(body.current, first);
  }, [create.error, own]);

  const submit = () => {
    create.clear();
    const found = formErrors(form);
    setOwn(found);
    if (firstField(found) === null) void create.run(newKeyOf(form));
  };
  const part: FormPart = { form, errors, change: (fields) => setForm({ ...form, ...fields }) };
  return (
    <Dialog
      title="New key"
      text="You cannot change its rights later. Rotate the key, or create another."
      onClose={props.onClose}
      onSubmit={submit}
      foot={
        <>
          <span class="small faint left">Shown once after this.</span>
          <Button onClick={props.onClose}>Cancel</Button>
          <Button kind="primary" type="submit" busy={create.isBusy && 'Creating'}>
            Create key
          </Button>
        </>
      }
    >
      <div class="form" ref={body}>
        <div data-field="name">
          <TextField
            label="Name"
            hint="A name that you recognise, up to 64 characters."
            value={form.name}
            error={errors.name}
            autocomplete="off"
            autofocus
            onInput={(name) => part.change({ name })}
          />
        </div>
        <EnvironmentField {...part} />
        <ScopesField {...part} />
        <Restrictions {...part} />
        <ErrorNotice
          title="The key was not created."
          error={create.error !== null && hasOtherErrors(create.error) ? create.error : null}
        />
      </div>
    </Dialog>
  );
}

const ENVIRONMENTS: readonly Choice<Environment>[] = [
  { value: 'live', name: 'Live', text: 'The rights of your plan, and what you add to it.' },
  { value: 'test', name: 'Test', text: '10 minutes late, last 7 days. Same messages.' },
];

function EnvironmentField({ form, errors, change }: FormPart) {
  return (
    <fieldset class="field" data-field="environment">
      <legend>Environment</legend>
      <Choices
        name="environment"
        choices={ENVIRONMENTS}
        chosen={form.environment}
        onChoose={(environment) => change({ environment })}
      />
      <FieldNote id="environment-note" error={errors.environment} />
    </fieldset>
  );
}

function ScopesField({ form, errors, change }: FormPart) {
  const set = (scope: Scope, isOn: boolean) =>
    change({ scopes: isOn ? [...form.scopes, scope] : form.scopes.filter((it) => it !== scope) });
  return (
    <fieldset
      class="field"
      data-field="scopes"
      aria-describedby={errors.scopes === undefined ? undefined : 'scopes-note'}
    >
      <legend>Scopes</legend>
      <div class="scope-grid">
        {SCOPES.map(({ scope, text }) => (
          <CheckField
            key={scope}
            name={scope}
            title={scope}
            isChecked={form.scopes.includes(scope)}
            onChange={(isOn) => set(scope, isOn)}
          >
            {text}
          </CheckField>
        ))}
      </div>
      <FieldNote id="scopes-note" error={errors.scopes} />
    </fieldset>
  );
}

function Restrictions(part: FormPart) {
  const { form, errors, change } = part;
  const instruments = useLoaded((signal) => portalApi.instruments({ signal }));
  const names = (instruments.value?.instruments ?? []).flatMap(({ alias, symbol }) =>
    alias === null ? [symbol] : [alias, symbol],
  );
  const details = useRef<HTMLDetailsElement>(null);
  const isFaulty = RESTRICTIONS.some((field) => errors[field] !== undefined);
  useEffect(() => {
    if (isFaulty && details.current !== null) details.current.open = true;
  }, [isFaulty]);
  return (
    <details class="more" ref={details}>
      <summary>Restrict this key</summary>
      <div>
        <div data-field="instruments">
          <InstrumentsField
            value={form.instruments}
            known={names}
            error={errors.instruments}
            onChange={(value) => change({ instruments: value })}
          />
        </div>
        <div class="two">
          <div data-field="allowedIps">
            <TextField
              label="Addresses"
              hint="Empty: any address. Separate several by commas."
              placeholder="203.0.113.0/24"
              value={form.allowedIps}
              error={errors.allowedIps}
              autocomplete="off"
              spellcheck={false}
              onInput={(allowedIps) => change({ allowedIps })}
            />
          </div>
          <div data-field="expiresAt">
            <TextField
              label="Expires, in UTC"
              hint="Empty: never."
              type="datetime-local"
              value={form.expiresAt}
              error={errors.expiresAt}
              onInput={(expiresAt) => change({ expiresAt })}
            />
          </div>
        </div>
      </div>
    </details>
  );
}

/** Waits for the next frame: the field may be in a section that was just expanded. */
function focusField(form: HTMLElement | null, field: FieldName): void {
  requestAnimationFrame(() => {
    form?.querySelector<HTMLInputElement>(`[data-field="${field}"] input`)?.focus();
  });
}
