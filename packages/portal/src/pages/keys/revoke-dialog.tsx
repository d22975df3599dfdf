/**
 * Revokes a key after its last four characters were typed: after a rotation names repeat, and a name may be in any
 * script. Rotation is offered beside it, because it leaves no gap.
 */

import { useState } from 'preact/hooks';
import { portalApi } from '../../api/portal-api.ts';
import type { KeyView } from '../../api/portal-shapes.ts';
import { useAction } from '../../api/use-action.ts';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { TextField } from '../../components/field.tsx';
import { ErrorNotice } from '../../components/notice.tsx';

export function RevokeDialog(props: {
  readonly target: KeyView;
  readonly onRevoked: (key: KeyView) => void;
  readonly onRotate: () => void;
  readonly onClose: () => void;
}) {
  const { target } = props;
  const [typed, setTyped] = useState('');
  const revoke = useAction(async () => {
    props.onRevoked(await portalApi.revokeKey(target.id));
  });
  const isConfirmed = typed.trim() === target.hint;
  const isWrong = !isConfirmed && typed.trim().length >= target.hint.length;
  const submit = () => {
    if (isConfirmed) void revoke.run();
  };
  return (
    <Dialog
      title={
        <>
          Revoke “<bdi>{target.name}</bdi>”?
        </>
      }
      text={
        <>
          Requests with it fail at once, and its open connections close within a second. You cannot
          undo this.
          {target.rotatedTo === undefined && (
            <>
              {' '}
              To replace it without a gap,{' '}
              <button type="button" class="link plain" onClick={props.onRotate}>
                rotate it instead
              </button>
              .
            </>
          )}
        </>
      }
      onClose={props.onClose}
      onSubmit={submit}
      foot={
        <>
          <Button onClick={props.onClose}>Keep it</Button>
          <Button
            kind="danger"
            type="submit"
            isOff={!isConfirmed}
            busy={revoke.isBusy && 'Revoking'}
          >
            Revoke key
          </Button>
        </>
      }
    >
      <TextField
        label={
          <>
            Type <code>{target.hint}</code>, the end of the key, to confirm
          </>
        }
        value={typed}
        error={
          isWrong
            ? `“${typed}” is not the end of this key. Type ${target.hint}, with its capital letters.`
            : null
        }
        isMono
        autofocus
        autocomplete="off"
        spellcheck={false}
        onInput={setTyped}
      />
      <ErrorNotice title="The key was not revoked. It still works." error={revoke.error} />
    </Dialog>
  );
}
