/** The audiences of the documentation. Every page has one audience; each audience has its own contents and search. */

export const DOCS_HOME = '/docs';

export type AudienceId = 'customers' | 'operators' | 'contributors';

/** Readers with their own pages, contents and search. */
export interface Audience {
  readonly id: AudienceId;
  readonly name: string;
  /** The address of the audience's first page. */
  readonly address: string;
  readonly title: string;
  readonly lead: string;
}

/** The first one is the default. */
export const AUDIENCES: readonly Audience[] = [
  {
    id: 'customers',
    name: 'Customers',
    address: DOCS_HOME,
    title: 'Documentation',
    lead: 'How to get a key, read the stream and history, and understand every number.',
  },
  {
    id: 'operators',
    name: 'Operators',
    address: `${DOCS_HOME}/operators`,
    title: 'For operators',
    lead: 'How to install, configure, monitor and back up your own service.',
  },
  {
    id: 'contributors',
    name: 'Contributors',
    address: `${DOCS_HOME}/contributors`,
    title: 'For contributors',
    lead: 'How to work on Tapeloom, and why it is built as it is.',
  },
];
