/** A part of the page that is fetched when it is first shown: most visits need few of them. */

import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';

export function later<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): (props: Props) => preact.JSX.Element | null {
  let known: ComponentType<Props> | null = null;
  return function Later(props: Props) {
    const [Part, setPart] = useState<ComponentType<Props> | null>(() => known);
    const [isLost, setIsLost] = useState(false);
    useEffect(() => {
      if (Part !== null) return;
      load().then(
        (part) => {
          known = part;
          setPart(() => part);
        },
        // Offline, or replaced by a newer version of the page.
        () => setIsLost(true),
      );
    }, [Part]);
    if (isLost) return <p role="alert">This part could not be loaded. Reload the page.</p>;
    return Part === null ? null : <Part {...props} />;
  };
}
