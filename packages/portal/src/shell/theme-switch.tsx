/** One button that turns light to dark and back. The account page has the third choice, "as the system". */

import { useEffect, useState } from 'preact/hooks';
import { Button } from '../components/button.tsx';
import { chooseTheme, isDarkNow, onColoursChange } from './theme.ts';

export function ThemeSwitch() {
  // What the browser has is not known while a page is written beforehand.
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
