/** Sharing a layout, and the picture of the chart in use. */

import { DeskIcon } from './desk-icon.tsx';
import { later } from './later.tsx';
import { Menu } from './menu.tsx';

export const ShareItems = later(async () => (await import('./share-items.tsx')).ShareItems);

export function ShareMenu() {
  return (
    <Menu label="Share or save as a picture" isIconOnly isAtEnd button={<DeskIcon name="share" />}>
      {(close) => <ShareItems onClose={close} />}
    </Menu>
  );
}
