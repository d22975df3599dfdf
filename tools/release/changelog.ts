/** The sections of CHANGELOG.md: a release's content and heading. */

const UNRELEASED = 'Unreleased';

export interface Section {
  /** `Unreleased`, or `1.2.0 - 2026-11-18` */
  readonly heading: string;
  readonly body: string;
}

/** The section of a version, else the unreleased changes; null if that section has no entries. */
export function sectionOf(changelog: string, version: string): Section | null {
  const sections = sectionsOf(changelog);
  const found =
    sections.find(({ heading }) => heading.split(' ')[0] === version) ??
    sections.find(({ heading }) => heading === UNRELEASED);
  return found !== undefined && /^- /m.test(found.body) ? found : null;
}

/** The same text, with the unreleased changes under this version. */
export function releasedText(changelog: string, version: string, date: string): string {
  const section = sectionOf(changelog, version);
  if (section?.heading !== UNRELEASED) return changelog;
  return changelog.replace(/^## Unreleased$/m, `## ${version} - ${date}`);
}

function sectionsOf(changelog: string): readonly Section[] {
  return changelog
    .split(/^## /m)
    .slice(1)
    .map((text) => {
      const end = text.indexOf('\n');
      return { heading: text.slice(0, end).trim(), body: text.slice(end).trim() };
    });
}
