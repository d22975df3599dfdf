/** What can be shared: the layout as a link, and the chart in use as a picture. */

import { showToast } from '../../components/toast.tsx';
import { useDesk, useSeat } from './desk-context.tsx';
import { MenuItem } from './menu.tsx';
import { pictureName, saveBlob } from './picture-file.ts';

export function ShareItems({ onClose }: { readonly onClose: () => void }) {
  const desk = useDesk();
  const { seat, spec } = useSeat();
  const then = (run: () => void) => () => {
    onClose();
    run();
  };
  const save = async (ending: 'png' | 'svg') => {
    const { view } = seat;
    if (view === null) return;
    try {
      const picture =
        ending === 'png'
          ? await view.png()
          : new Blob([await view.svg()], { type: 'image/svg+xml;charset=utf-8' });
      saveBlob(picture, pictureName(spec, new Date(), ending));
    } catch (error) {
      console.error(error);
      showToast('The picture could not be made. Try again.', 'warn');
    }
  };
  return (
    <>
      <MenuItem icon="share" onClick={then(() => desk.setUi({ dialog: 'share' }))}>
        Share this layout
      </MenuItem>
      <hr />
      <MenuItem note="PNG" onClick={then(() => void save('png'))}>
        Picture of this chart
      </MenuItem>
      <MenuItem note="SVG" onClick={then(() => void save('svg'))}>
        Picture that stays sharp
      </MenuItem>
    </>
  );
}
