/** A page of the documentation: contents to the left, text in the middle, its headings to the right. */

import { Footer } from '../shell/public-frame.tsx';
import { AUDIENCES, type Audience } from './audiences.ts';
import type { DocsGroup, DocsPage } from './docs-site.ts';
import { DocsTop } from './docs-top.tsx';

/** Deeper headings would be too many for the column. */
const DEPTH_MAX = 3;

export interface DocsPageProps {
  readonly audience: Audience;
  /** The audience's groups. */
  readonly groups: readonly DocsGroup[];
  /** Null: the audience's first page, which lists all others. */
  readonly page: DocsPage | null;
}

export function DocsPageView({ audience, groups, page }: DocsPageProps) {
  const contents = <Contents audience={audience} groups={groups} page={page} />;
  return (
    <div class="public">
      <a class="skip" href="#main">
        Skip to content
      </a>
      <div id="docs-top">
        <DocsTop />
      </div>
      <div class="wrap docs">
        <nav class="docs-contents" aria-label="Documentation">
          {contents}
        </nav>
        <details class="docs-fold">
          <summary>All pages</summary>
          <nav aria-label="Documentation, folded">{contents}</nav>
        </details>
        <main class="docs-main" id="main">
          {page === null ? (
            <Home audience={audience} groups={groups} />
          ) : (
            <Text groups={groups} page={page} />
          )}
        </main>
        <OnThisPage page={page} />
      </div>
      <Footer />
    </div>
  );
}

function Contents({ audience, groups, page }: DocsPageProps) {
  const here = page?.address ?? audience.address;
  return (
    <>
      <ul class="docs-audiences" aria-label="Readers">
        {AUDIENCES.map(({ id, name, address }) => (
          <li key={id}>
            <a href={address} aria-current={id === audience.id ? 'true' : undefined}>
              {name}
            </a>
          </li>
        ))}
      </ul>
      {groups.map(({ name, pages, isFolded }) => {
        const list = <PageList pages={pages} here={here} />;
        if (!isFolded) {
          return (
            <section key={name}>
              <h2>{name}</h2>
              {list}
            </section>
          );
        }
        return (
          <section key={name}>
            <details class="docs-group" open={pages.some(({ address }) => address === here)}>
              <summary>{name}</summary>
              {list}
            </details>
          </section>
        );
      })}
    </>
  );
}

function PageList({ pages, here }: { readonly pages: readonly DocsPage[]; readonly here: string }) {
  return (
    <ul>
      {pages.map(({ address, name }) => (
        <li key={address}>
          <a href={address} aria-current={address === here ? 'page' : undefined}>
            {name}
          </a>
        </li>
      ))}
    </ul>
  );
}

interface OnePage {
  readonly groups: readonly DocsGroup[];
  readonly page: DocsPage;
}

function Text({ groups, page }: OnePage) {
  const group = groups.find(({ pages }) => pages.includes(page));
  return (
    <article class="docs-text">
      <p class="docs-group-name">{group?.name}</p>
      <h1>{page.title}</h1>
      {/* Built from our own pages, with all text escaped. */}
      <div dangerouslySetInnerHTML={{ __html: page.html }} />
      <Neighbours groups={groups} page={page} />
    </article>
  );
}

/** The pages before and after this one in the audience's contents. */
function Neighbours({ groups, page }: OnePage) {
  const pages = groups.flatMap((group) => group.pages);
  const at = pages.indexOf(page);
  const [before, next] = [pages[at - 1], pages[at + 1]];
  return (
    <nav class="docs-neighbours" aria-label="Pages before and after">
      {before && (
        <a href={before.address} rel="prev">
          <small>Before</small>
          {before.name}
        </a>
      )}
      {next && (
        <a href={next.address} rel="next">
          <small>Next</small>
          {next.name}
        </a>
      )}
      <a class="docs-raw" href={`${page.address}.md`}>
        This page as Markdown
      </a>
    </nav>
  );
}

function Home({ audience, groups }: Omit<DocsPageProps, 'page'>) {
  return (
    <article class="docs-text docs-home">
      <h1>{audience.title}</h1>
      <p>{audience.lead} Every sample on these pages is run by a test.</p>
      {groups.map(({ name, pages }) => (
        <section key={name}>
          <h2>{name}</h2>
          <ul class="docs-list">
            {pages.map(({ address, name: short, lead }) => (
              <li key={address}>
                <a href={address}>{short}</a>
                <p>{lead}</p>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </article>
  );
}

function OnThisPage({ page }: { readonly page: DocsPage | null }) {
  const headings = page?.headings.filter(({ depth }) => depth <= DEPTH_MAX) ?? [];
  if (headings.length < 2) return <div class="docs-here" />;
  return (
    <nav class="docs-here" aria-label="On this page">
      <h2>On this page</h2>
      <ul>
        {headings.map(({ anchor, depth, text }) => (
          <li key={anchor} class={depth === DEPTH_MAX ? 'deeper' : undefined}>
            <a href={`#${anchor}`}>{text}</a>
          </li>
        ))}
      </ul>
    </nav>
  );
}
