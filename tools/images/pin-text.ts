/** Finds images in a text, and pins their digests. Only images of public registries: ours are built here. */

export interface Image {
  /** `docker.io` */
  readonly registry: string;
  /** `library/node` */
  readonly name: string;
  /** `26-trixie-slim` */
  readonly tag: string;
}

/** Resolves to `sha256:` and 64 hexadecimal digits. */
export type ImageRegistry = (image: Image) => Promise<string>;

const IMAGE =
  /\b(docker\.io|ghcr\.io|quay\.io)\/([a-z0-9][a-z0-9./_-]*):([\w][\w.-]*)(@sha256:[0-9a-f]{64})?/g;

/** As written. */
export function unpinnedImages(text: string): readonly string[] {
  return [...text.matchAll(IMAGE)].filter(([, , , , digest]) => !digest).map(([all]) => all);
}

/** Renews existing pins too: the tag may have moved. */
export async function pinnedText(text: string, digestOf: ImageRegistry): Promise<string> {
  const digests = new Map<string, string>();
  for (const [, registry, name, tag] of text.matchAll(IMAGE)) {
    const key = `${registry}/${name}:${tag}`;
    if (digests.has(key)) continue;
    digests.set(key, await digestOf({ registry: registry!, name: name!, tag: tag! }));
  }
  return text.replace(IMAGE, (_, registry, name, tag) => {
    const key = `${registry}/${name}:${tag}`;
    return `${key}@${digests.get(key)}`;
  });
}
