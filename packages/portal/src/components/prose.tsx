/**
 * Renders HTML that our server made from Markdown. The HTML is parsed as data and rebuilt from a few allowed elements;
 * everything else is dropped, so that not even an operator's page can run a script.
 */

import { type ComponentChildren, createElement } from 'preact';
import { useMemo } from 'preact/hooks';

const ELEMENTS: ReadonlySet<string> = new Set(
  'h2 h3 h4 p ul ol li a strong em b i code pre blockquote br hr table thead tbody tr th td del sup sub'.split(
    ' ',
  ),
);
/** Dropped with their content. */
const DROPPED: ReadonlySet<string> = new Set(['script', 'style', 'template', 'iframe', 'object']);
const DEPTH_MAX = 40;

export function Prose(props: { readonly html: string }) {
  const content = useMemo(() => {
    const parsed = new DOMParser().parseFromString(props.html, 'text/html');
    return contentOf(parsed.body, 0);
  }, [props.html]);
  return <div class="prose">{content}</div>;
}

function contentOf(parent: Element, depth: number): ComponentChildren[] {
  if (depth > DEPTH_MAX) return [];
  return [...parent.childNodes].map((node) => {
    if (node instanceof Text) return node.data;
    return node instanceof Element ? elementOf(node, depth + 1) : null;
  });
}

function elementOf(element: Element, depth: number): ComponentChildren {
  const written = element.localName;
  if (DROPPED.has(written)) return null;
  const inside = contentOf(element, depth);
  // The page already has its one first-level heading.
  const name = written === 'h1' ? 'h2' : written;
  if (!ELEMENTS.has(name)) return inside;
  if (name === 'br' || name === 'hr') return createElement(name, {});
  const href = name === 'a' ? safeHref(element.getAttribute('href')) : null;
  return createElement(name, href === null ? {} : { href, rel: 'noopener' }, inside);
}

function safeHref(href: string | null): string | null {
  if (href === null || !URL.canParse(href, location.origin)) return null;
  const { protocol } = new URL(href, location.origin);
  return ['http:', 'https:', 'mailto:', 'tel:'].includes(protocol) ? href : null;
}
