/** The documentation's top bar: that of all public pages, with the search. */

import { Icon } from '../components/icon.tsx';
import { TopBar } from '../shell/public-frame.tsx';

export function DocsTop() {
  return (
    <TopBar>
      <SearchButton />
    </TopBar>
  );
}

/** Only markup: a click listener of the page's script opens the search. */
function SearchButton() {
  return (
    <button type="button" class="docs-search" aria-keyshortcuts="/" aria-label="Search the docs">
      <Icon name="search" />
      <span>Search</span>
      <kbd>/</kbd>
    </button>
  );
}
