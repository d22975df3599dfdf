/** The newest messages of the stream, as they came: the chart is drawn from nothing else. */

import { useEffect, useState } from 'preact/hooks';
import { Button } from '../../components/button.tsx';
import { exactNumber } from '../../components/number-text.ts';
import { useDesk } from './desk-context.tsx';
import { DrawerFrame } from './drawer-frame.tsx';
import { wireText } from './wire-text.ts';

const LOOK_MS = 500;
const TEXT_MAX = 900;

export function WireDrawer() {
  const { wire } = useDesk();
  const [isHeld, setIsHeld] = useState(false);
  const [newest, setNewest] = useState(wire.newest);
  useEffect(() => {
    if (isHeld) return undefined;
    const timer = setInterval(() => setNewest(wire.newest), LOOK_MS);
    return () => clearInterval(timer);
  }, [isHeld, wire]);
  return (
    <DrawerFrame
      title="Messages of the stream"
      foot={
        <div class="acts">
          <Button onClick={() => setIsHeld(!isHeld)}>{isHeld ? 'Go on' : 'Hold'}</Button>
        </div>
      }
    >
      <p class="drawer-empty">
        {wire.count === 0
          ? 'No message yet.'
          : `${exactNumber(wire.count)} since this page opened, the newest first.`}
      </p>
      <ul class="wire-log" aria-label="Messages">
        {newest.map((message) => {
          const text = wireText(message);
          return (
            <li key={message.number}>
              <b>
                {message.indicator} {message.instrument}
              </b>{' '}
              {text.length > TEXT_MAX ? `${text.slice(0, TEXT_MAX)}…` : text}
            </li>
          );
        })}
      </ul>
    </DrawerFrame>
  );
}
