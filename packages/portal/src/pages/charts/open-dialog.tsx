/** The dialogs, which are fetched when the first one opens. */

import { useDesk } from './desk-context.tsx';
import type { DeskUi } from './desk-ui.ts';
import { KeysDialog } from './keys-dialog.tsx';
import { ShareDialog } from './share-dialog.tsx';

export function OpenDialog({ dialog }: { readonly dialog: NonNullable<DeskUi['dialog']> }) {
  const desk = useDesk();
  const close = () => desk.setUi({ dialog: null });
  return dialog === 'keys' ? <KeysDialog onClose={close} /> : <ShareDialog onClose={close} />;
}
