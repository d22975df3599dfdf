/** The bar at the top of the documentation: that of all public pages, with the search. */

import { Icon } from '../components/icon.tsx';
import { TopBar } from '../shell/public-frame.tsx';

export function DocsTop() {
  return (
    <TopBar>
      <SearchButton />
    </TopBar>
  );
}

/** Any of them opens the search; the script of the page hears the click. */
function SearchButton() {
  return (
    <button type="button" class="docs-search" aria-keyshortcuts="/" aria-label="Search the docs">
      <Icon name="search" />
      <span>Search</span>
      <kbd>/</kbd>
    </button>
  );
}
