/** Every key of the workspace. */

import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { KEYS } from './key-list.ts';

export function KeysDialog({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog
      title="Keys"
      onClose={onClose}
      foot={
        <Button kind="primary" isAutoFocused onClick={onClose}>
          Close
        </Button>
      }
    >
      <dl class="keys">
        {KEYS.map(([keys, does]) => (
          <div key={does}>
            <dt>
              {keys.split(' ').map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
