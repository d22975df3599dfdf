/** The CycloneDX bill of materials of a package: what is bundled, and what is installed beside it. Reproducible. */

import { npm } from './npm.ts';

/** The part of CycloneDX that we read. */
interface Component {
  /** `name@version` */
  readonly 'bom-ref': string;
}

export interface Bill {
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

interface NpmBill {
  readonly serialNumber: string;
  readonly metadata: { readonly timestamp: string; readonly component: object };
  readonly components: readonly Component[];
}

export interface Materials {
  /** Each as `name@version`. */
  readonly of: string;
  readonly inside: readonly string[];
  readonly beside: readonly string[];
}

export function billOfMaterials(root: string, { of, inside, beside }: Materials): object {
  const { serialNumber: _, metadata, ...bill } = npmBill(root);
  const { timestamp: __, ...about } = metadata;
  const known = new Map(bill.components.map((component) => [component['bom-ref'], component]));
  const missing = inside.filter((reference) => !known.has(reference));
  if (missing.length > 0) throw new Error(`npm sbom does not know ${missing.join(', ')}`);
  const [name, version] = of.split('@');
  return {
    ...bill,
    metadata: {
      ...about,
      component: { 'bom-ref': of, type: 'application', name, version, purl: `pkg:npm/${of}` },
    },
    components: [
      ...inside.map((reference) => known.get(reference)),
      ...beside.map((reference) => known.get(reference) ?? named(reference)),
    ],
    dependencies: [{ ref: of, dependsOn: [...inside, ...beside] }],
  };
}

/** The same bill for a package without these parts. */
export function withoutMaterials(bill: Bill, left: readonly string[]): object {
  const isLeft = (reference: string) => left.includes(reference);
  return {
    ...bill,
    components: bill.components.filter((component) => !isLeft(component['bom-ref'])),
    dependencies: bill.dependencies.map(({ ref, dependsOn }) => ({
      ref,
      dependsOn: dependsOn.filter((reference) => !isLeft(reference)),
    })),
  };
}

function npmBill(root: string): NpmBill {
  const text = npm(root, 'sbom', '--sbom-format', 'cyclonedx', '--package-lock-only');
  return JSON.parse(text) as NpmBill;
}

/** A component that the lockfile does not contain, because this repository does not use it. */
function named(reference: string) {
  const at = reference.lastIndexOf('@');
  const name = reference.slice(0, at);
  const version = reference.slice(at + 1);
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
  return { 'bom-ref': reference, type: 'library', name, version, scope: 'optional', purl };
}
