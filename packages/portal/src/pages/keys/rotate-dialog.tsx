/** Replaces a key by a new one with the same rights; during a grace period both work. */

import { useState } from 'preact/hooks';
import { portalApi } from '../../api/portal-api.ts';
import type { KeyView, RotatedKey } from '../../api/portal-shapes.ts';
import { useAction } from '../../api/use-action.ts';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { SelectField } from '../../components/field.tsx';
import { ErrorNotice } from '../../components/notice.tsx';
import { millisecondsOf } from '../../components/time-text.ts';

const GRACES = [
  { value: '0', label: 'Not at all: the old key ends at once' },
  { value: '3600', label: '1 hour' },
  { value: '86400', label: '1 day' },
  { value: '604800', label: '7 days' },
] as const;

export function RotateDialog(props: {
  readonly target: KeyView;
  readonly onMade: (key: RotatedKey) => void;
  readonly onClose: () => void;
}) {
  const { target } = props;
  const [grace, setGrace] = useState<string>('86400');
  const rotate = useAction(async () => {
    props.onMade(await portalApi.rotateKey(target.id, Number(grace)));
  });
  const endsBefore =
    target.expiresAt !== undefined &&
    millisecondsOf(target.expiresAt) < Date.now() + Number(grace) * 1_000;
  return (
    <Dialog
      title={
        <>
          Rotate “<bdi>{target.name}</bdi>”?
        </>
      }
      text="A new key with the same rights takes its place. Until the old one ends, both work."
      onClose={props.onClose}
      onSubmit={() => void rotate.run()}
      foot={
        <>
          <span class="small faint left">The new key is shown once after this.</span>
          <Button onClick={props.onClose}>Cancel</Button>
          <Button kind="primary" type="submit" busy={rotate.isBusy && 'Rotating'}>
            Rotate key
          </Button>
        </>
      }
    >
      <SelectField
        label={
          <>
            How long <code>…{target.hint}</code> keeps working
          </>
        }
        hint={
          endsBefore
            ? 'The key expires earlier, and that date stays.'
            : 'Choose long enough to replace the old key everywhere.'
        }
        value={grace}
        options={GRACES}
        onChange={setGrace}
      />
      <ErrorNotice title="The key was not rotated." error={rotate.error} />
    </Dialog>
  );
}
