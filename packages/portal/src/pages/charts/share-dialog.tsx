/** A layout as a link: what it carries, and what it does not. */

import { shareLink } from '@tapeloom/charts/spec/share-link';
import { useEffect, useState } from 'preact/hooks';
import { Button } from '../../components/button.tsx';
import { Copy } from '../../components/copy.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { useDesk } from './desk-context.tsx';

export function ShareDialog({ onClose }: { readonly onClose: () => void }) {
  const desk = useDesk();
  const [link, setLink] = useState<string | null | 'too-large'>(null);
  useEffect(() => {
    void shareLink(desk.layout).then((fragment) =>
      setLink(fragment === null ? 'too-large' : `${location.origin}/charts#${fragment}`),
    );
  }, [desk]);
  return (
    <Dialog
      title="Share this layout"
      text="Anyone with this link sees your arrangement and drawings, not your data. They need their own account."
      onClose={onClose}
      foot={
        <>
          <Button kind="ghost" onClick={onClose}>
            Close
          </Button>
          {link !== null && link !== 'too-large' && (
            <Copy kind="primary" isAutoFocused label="Copy the link" text={() => link} />
          )}
        </>
      }
    >
      {link === 'too-large' ? (
        <p>This layout is too large for a link. Delete some drawings and try again.</p>
      ) : (
        <input
          class="input mono"
          readOnly
          aria-label="Link to this layout"
          value={link ?? ''}
          onFocus={(event) => event.currentTarget.select()}
        />
      )}
    </Dialog>
  );
}
