import { SEARCH_PROVIDERS } from '../core/index.ts';
import type { Keys, ObjectSetting } from './setting.ts';

/** The keys of `tools.search`. */
const SEARCH_KEYS = {
  provider: {
    kind: 'choice',
    doc: 'Who is asked: a SearXNG of your own (it needs `base_url` and no key), Brave Search, or Tavily.',
    values: SEARCH_PROVIDERS,
    required: true,
  },
  base_url: { kind: 'line', doc: 'Another address of the provider, such as `http://localhost:8888`; it may be a private one.' },
  api_key_env: {
    kind: 'word',
    doc: 'The environment variable that holds the key; `BRAVE_API_KEY`, `TAVILY_API_KEY` by default.',
  },
} as const satisfies Keys;

/** The keys of `tools:`. */
const TOOLS_KEYS = {
  search: { kind: 'object', doc: 'What `web_search` asks; without it the tool is not offered.', keys: SEARCH_KEYS },
  private_hosts: {
    kind: 'list',
    doc: 'Private hosts that `web_fetch` may reach, and git by http.',
    items: { kind: 'word', doc: '`host:port`; without a port 80 and 443.' },
  },
  pass_env: {
    kind: 'list',
    doc: 'Environment variables that `bash`, `run_tests`, `run_lint` and `run_build` get beside the harmless ones.',
    items: { kind: 'word', doc: 'A name, with `*` at its end for the rest of it.' },
  },
  protected_branches: {
    kind: 'list',
    doc: 'Branches that `git_push` refuses; `main`, `master` and `release/*` by default, and the one that the remote shows first.',
    items: { kind: 'word', doc: 'A branch, with `*` at its end for the rest of its name.' },
  },
  plugins: {
    kind: 'map',
    doc: 'Tools of your own, by their names.',
    values: { kind: 'file', doc: 'A JavaScript module that exports the tool as its default, relative to the workspace.' },
  },
} as const satisfies Keys;

/** `tools:`. */
export const TOOLS = {
  kind: 'object',
  doc: 'The tools of the native agent, whatever hat uses them; profiles say which hat may.',
  keys: TOOLS_KEYS,
} as const satisfies ObjectSetting;
