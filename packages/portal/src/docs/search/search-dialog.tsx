/**
 * The documentation's search dialog, over one audience's pages. The first search loads the index and the texts; until
 * the texts arrive, results show without excerpts. Arrow keys choose, Enter opens, Esc closes.
 */

import { render } from 'preact';
import { useEffect, useId, useMemo, useRef, useState } from 'preact/hooks';
import { Button } from '../../components/button.tsx';
import { Icon } from '../../components/icon.tsx';
import { type ExcerptPart, excerpt, marked } from './excerpt.ts';
import { DocsSearch, type SearchHit } from './search-index.ts';
import './search.css';

/** An audience's pages, and the addresses of their index and texts. */
export interface SearchScope {
  readonly id: string;
  readonly name: string;
  readonly index: string;
  readonly texts: string;
}

export interface SearchScopes {
  readonly scopes: readonly SearchScope[];
  /** The id of the scope to search first. */
  readonly first: string;
}

/** Screen readers announce the count after this pause, not after every key. */
const TELL_AFTER_MS = 600;

let host: HTMLElement | null = null;
let opened = 0;

export function openSearch(scopes: SearchScopes): void {
  if (host === null) {
    host = document.createElement('div');
    document.body.append(host);
  }
  const dialog = host.querySelector('dialog');
  if (dialog?.open) return;
  opened += 1;
  render(<SearchDialog key={opened} {...scopes} />, host);
}

function SearchDialog({ scopes, first }: SearchScopes) {
  const [scope, setScope] = useState(scopes.find(({ id }) => id === first) ?? scopes[0]!);
  const ref = useRef<HTMLDialogElement>(null);
  const [query, setQuery] = useState('');
  const [tries, setTries] = useState(0);
  const { search, texts, isFailed } = useSearch(scope, tries);
  const hits = useMemo(() => search?.find(query.trim()) ?? [], [search, query]);
  useEffect(() => ref.current!.showModal(), []);
  return (
    <dialog ref={ref} class="search" aria-label="Search the documentation" closedby="any">
      <div class="search-in">
        {isFailed ? (
          <div class="search-note" role="alert">
            <p>The search could not be loaded.</p>
            <Button onClick={() => setTries(tries + 1)}>Try again</Button>
          </div>
        ) : (
          <Finder
            query={query}
            onQuery={setQuery}
            hits={hits}
            texts={texts}
            isReady={search !== null}
            onClose={() => ref.current?.close()}
          />
        )}
        <fieldset class="search-scopes">
          <legend class="visually-hidden">Search the pages for</legend>
          {scopes.map((one) => (
            <label key={one.id}>
              <input
                type="radio"
                name="search-scope"
                checked={one === scope}
                onChange={() => setScope(one)}
              />
              {one.name}
            </label>
          ))}
        </fieldset>
      </div>
    </dialog>
  );
}

interface FinderProps {
  readonly query: string;
  readonly onQuery: (query: string) => void;
  readonly hits: readonly SearchHit[];
  readonly texts: readonly string[] | null;
  readonly isReady: boolean;
  readonly onClose: () => void;
}

function Finder({ query, onQuery, hits, texts, isReady, onClose }: FinderProps) {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const [chosen, setChosen] = useState(0);
  const at = Math.min(chosen, hits.length - 1);
  const linkAt = (index: number) => list.current?.querySelectorAll<HTMLElement>('a')[index];
  const choose = (index: number) => {
    setChosen(index);
    linkAt(index)?.scrollIntoView({ block: 'nearest' });
  };
  const press = (event: KeyboardEvent) => {
    const to = keyTarget(event.key, at, hits.length);
    if (event.key === 'Enter') {
      event.preventDefault();
      const { ctrlKey, metaKey, shiftKey } = event;
      const keys = { ctrlKey, metaKey, shiftKey, bubbles: true, cancelable: true };
      linkAt(at)?.dispatchEvent(new MouseEvent('click', keys));
    } else if (to !== null) {
      event.preventDefault();
      choose(to);
    }
  };
  return (
    <>
      <div class="search-field">
        <Icon name="search" />
        <input
          type="text"
          aria-label="Search the documentation"
          placeholder="Search the docs"
          role="combobox"
          aria-expanded={hits.length > 0}
          aria-controls={`${id}-hits`}
          aria-activedescendant={hits.length > 0 ? `${id}-${at}` : undefined}
          aria-autocomplete="list"
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          enterkeyhint="go"
          autofocus
          value={query}
          onInput={(event) => {
            setChosen(0);
            onQuery(event.currentTarget.value);
          }}
          onKeyDown={press}
        />
        <Button kind="ghost" icon="x" label="Close" onClick={onClose} />
      </div>
      <div ref={list} class="search-hits" role="listbox" id={`${id}-hits`} aria-label="Results">
        {hits.map((hit, index) => (
          <a
            key={hit.id}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === at}
            tabIndex={-1}
            href={hit.address}
            onClick={onClose}
            onMouseMove={() => setChosen(index)}
          >
            <Hit hit={hit} text={texts?.[hit.id] ?? ''} />
          </a>
        ))}
      </div>
      <Outcome query={query.trim()} count={hits.length} isReady={isReady} />
    </>
  );
}

function Hit({ hit, text }: { readonly hit: SearchHit; readonly text: string }) {
  const { page, heading, words } = hit;
  return (
    <>
      <span class="search-title">
        <Marked parts={marked(heading, words)} />
      </span>
      {heading !== page && <span class="search-page">{page}</span>}
      {text !== '' && (
        <span class="search-text">
          <Marked parts={excerpt(text, words)} />
        </span>
      )}
    </>
  );
}

function Marked({ parts }: { readonly parts: readonly ExcerptPart[] }) {
  return (
    <>
      {parts.map(({ text, isMarked }, index) =>
        isMarked ? <mark key={index}>{text}</mark> : text,
      )}
    </>
  );
}

/** The outcome below the results, visible and for screen readers. */
function Outcome(props: {
  readonly query: string;
  readonly count: number;
  readonly isReady: boolean;
}) {
  const { query, count, isReady } = props;
  const outcome =
    query === '' || !isReady
      ? ''
      : count === 0
        ? `Nothing found for “${query}”.`
        : `${count} ${count === 1 ? 'result' : 'results'}`;
  const [told, setTold] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => setTold(outcome), TELL_AFTER_MS);
    return () => clearTimeout(timer);
  }, [outcome]);
  return (
    <>
      {query !== '' && isReady && count === 0 && <p class="search-note">{outcome}</p>}
      {query !== '' && !isReady && <p class="search-note">Loading …</p>}
      <p class="search-keys" aria-hidden="true">
        <span>
          <kbd>↑</kbd> <kbd>↓</kbd> choose
        </span>
        <span>
          <kbd>Enter</kbd> open
        </span>
        <span>
          <kbd>Esc</kbd> close
        </span>
      </p>
      <p class="visually-hidden" role="status">
        {told}
      </p>
    </>
  );
}

interface Loaded {
  readonly search: DocsSearch | null;
  readonly texts: readonly string[] | null;
  readonly isFailed: boolean;
}

const NOTHING: Loaded = { search: null, texts: null, isFailed: false };
/** Loaded data by scope, for later searches. */
const kept = new Map<string, Loaded>();

function useSearch({ id, index, texts }: SearchScope, tries: number): Loaded {
  const [, redraw] = useState({});
  const [failed, setFailed] = useState<string | null>(null);
  const loaded = kept.get(id) ?? NOTHING;
  useEffect(() => {
    let isOver = false;
    setFailed(null);
    const put = (more: Partial<Loaded>) => {
      kept.set(id, { ...(kept.get(id) ?? NOTHING), ...more });
      if (!isOver) redraw({});
    };
    if (loaded.search === null) {
      fetched(index)
        .then((json) => put({ search: new DocsSearch(json) }))
        .catch(() => !isOver && setFailed(id));
    }
    if (loaded.texts === null) {
      // Results are useful without texts.
      fetched(texts)
        .then((json) => put({ texts: JSON.parse(json) }))
        .catch(() => {});
    }
    return () => {
      isOver = true;
    };
  }, [id, tries]);
  return { ...loaded, isFailed: failed === id };
}

async function fetched(address: string): Promise<string> {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`${address} answers ${answer.status}`);
  return answer.text();
}

/** The index that a key moves to; null: the key does not move. */
function keyTarget(key: string, at: number, count: number): number | null {
  if (count === 0) return null;
  if (key === 'ArrowDown') return (at + 1) % count;
  if (key === 'ArrowUp') return (at - 1 + count) % count;
  if (key === 'PageDown') return Math.min(at + 5, count - 1);
  if (key === 'PageUp') return Math.max(at - 5, 0);
  return null;
}
