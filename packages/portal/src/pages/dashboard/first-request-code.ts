/** A first request in three languages. The key comes from the environment and is never filled in. */

import type { CodeTab } from '../../components/code-tabs.tsx';

export function firstRequestTabs(origin: string): readonly CodeTab[] {
  return [
    {
      id: 'curl',
      label: 'curl',
      text: `curl -H "Authorization: Bearer $TAPELOOM_KEY" \\\n  ${origin}/v1/usage`,
    },
    {
      id: 'node',
      label: 'Node',
      text: [
        "import { TapeloomClient } from '@tapeloom/client';",
        '',
        'const key = process.env.TAPELOOM_KEY;',
        `const client = new TapeloomClient({ url: '${origin}', key });`,
        'console.log(await client.usage());',
      ].join('\n'),
    },
    {
      id: 'python',
      label: 'Python',
      text: [
        'import json, os, urllib.request',
        '',
        'headers = {"Authorization": "Bearer " + os.environ["TAPELOOM_KEY"]}',
        `request = urllib.request.Request("${origin}/v1/usage", headers=headers)`,
        'print(json.load(urllib.request.urlopen(request)))',
      ].join('\n'),
    },
  ];
}
