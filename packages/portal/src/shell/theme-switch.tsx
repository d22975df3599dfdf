/** A button that switches between light and dark. The account page has the third choice, "as the system". */

import { useEffect, useState } from 'preact/hooks';
import { Button } from '../components/button.tsx';
import { chooseTheme, isDarkNow, onColoursChange } from './theme.ts';

export function ThemeSwitch() {
  // Unknown during prerendering.
  const [isDark, setIsDark] = useState(false);
  useEffect(() => {
    const look = () => setIsDark(isDarkNow());
    look();
    return onColoursChange(look);
  }, []);
  return (
    <Button
      kind="ghost"
      icon={isDark ? 'sun' : 'moon'}
      label={isDark ? 'Switch to light' : 'Switch to dark'}
      onClick={() => chooseTheme(isDark ? 'light' : 'dark')}
    />
  );
}
