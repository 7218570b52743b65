import { ON_ASK } from '../../core/hooks/permission-spec.ts';
import { SEARCH_PROVIDERS } from '../../core/tools/tools-spec.ts';
import type { ChoiceSetting, Keys, ObjectSetting } from './setting.ts';

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

export const TOOLS = {
  kind: 'object',
  doc: 'The tools of the native agent, whatever hat uses them; profiles say which hat may.',
  keys: TOOLS_KEYS,
} as const satisfies ObjectSetting;

const TOOL = {
  kind: 'word',
  doc: 'A group (`fs_read`), a composite (`fs`, `git`), a tool (`bash`), or `mcp:SERVER`, `mcp:*` for tools of MCP servers.',
} as const;

/** `profile:` of a hat and of Ralph. */
export const PROFILE = {
  kind: 'word',
  doc: 'The tool profile: `explorer`, `planner`, `creator`, `critic`, `editor` or one of `profiles`. Without one an agent CLI is not held back, and the native agent of a hat gets `explorer`.',
} as const;

const PROFILE_KEYS = {
  description: { kind: 'text', doc: 'What the profile is for.' },
  extends: { kind: 'word', doc: 'A profile that this one begins with: lists are added to its lists, flags replace its flags.' },
  allow: { kind: 'list', doc: 'Tools and groups of tools that are there.', items: TOOL },
  deny: { kind: 'list', doc: 'Tools and groups that are not, whatever else says so.', items: TOOL },
  exempt: {
    kind: 'list',
    doc: 'Allowed tools and groups that stay though `require_read_only` or `deny_destructive` is against them.',
    items: TOOL,
  },
  require_read_only: { kind: 'flag', doc: 'Only tools that change nothing.' },
  deny_destructive: { kind: 'flag', doc: 'No tools that can lose data.' },
} as const satisfies Keys;

export const PROFILES = {
  kind: 'map',
  doc: 'Tool profiles of your own; one with the name of a built-in profile takes its place.',
  values: { kind: 'object', doc: 'A tool profile.', keys: PROFILE_KEYS },
} as const;

/** The hints of MCP as the file spells them. */
const HINT_KEYS = {
  read_only_hint: { kind: 'flag', doc: 'It changes nothing.' },
  destructive_hint: { kind: 'flag', doc: 'It may overwrite or remove what was there.' },
  idempotent_hint: { kind: 'flag', doc: 'Doing it twice is the same as doing it once.' },
  open_world_hint: { kind: 'flag', doc: 'It reaches what is outside of this machine.' },
} as const satisfies Keys;

export const MCP_SERVER_KEYS = {
  command: { kind: 'line', doc: 'The program to start; it speaks MCP on its standard input and output.' },
  args: { kind: 'list', doc: 'Its arguments.', items: { kind: 'variable', doc: 'One argument.' }, default: [] },
  env: {
    kind: 'map',
    doc: 'Environment variables, added to the few that every server gets.',
    values: { kind: 'variable', doc: 'The value.' },
    variables: true,
  },
  url: { kind: 'line', doc: 'The address of a server that is reached by HTTP, in the place of `command`.' },
  token_env: { kind: 'word', doc: 'With `url`: the environment variable whose value is sent as bearer token.' },
  tools: {
    kind: 'list',
    doc: 'The tools that are taken, by their names at the server; all by default.',
    items: { kind: 'word', doc: 'A tool.' },
  },
  trust_annotations: {
    kind: 'flag',
    doc: 'Believe what the server says of its tools (read-only, destructive). Else each may do anything, as far as profiles know.',
    default: false,
  },
  annotations: {
    kind: 'map',
    doc: 'Hints of single tools that you vouch for, by their names at the server; they win over what the server says.',
    values: { kind: 'object', doc: 'The hints of a tool; what is not said is as without this.', keys: HINT_KEYS },
  },
  timeout_seconds: { kind: 'duration', doc: 'Longest start and longest call.', above: 0, default: 60 },
} as const satisfies Keys;

export const MCP_SERVERS = {
  kind: 'map',
  doc: 'MCP servers whose tools the native agent gets, as group `mcp:NAME`; profiles say who may use them.',
  values: { kind: 'object', doc: 'An MCP server.', keys: MCP_SERVER_KEYS },
} as const;

/** `on_ask`, also at the top level. */
export const ON_ASK_KEY = {
  kind: 'choice',
  doc: 'What becomes of a call that a person is to be asked about where nobody is there: it is denied (the default), made, or waits until the deadline and is then denied.',
  values: ON_ASK,
} as const satisfies ChoiceSetting;

const CALL_RULE = {
  kind: 'line',
  doc: 'A rule `tool` or `tool(pattern)`, such as `bash(rm *)` or `Write(src/**)`.',
  verbatim: true,
} as const;

const PERMISSION_KEYS = {
  deny: { kind: 'list', doc: 'Calls that are not made, whatever else says so.', items: CALL_RULE },
  ask: { kind: 'list', doc: 'Calls that a person is asked about before they are made.', items: CALL_RULE },
  allow: { kind: 'list', doc: 'Calls that are made and noted; a call that no rule names is made as well.', items: CALL_RULE },
  on_ask: ON_ASK_KEY,
} as const satisfies Keys;

export const PERMISSIONS = {
  kind: 'object',
  doc: 'Rules about calls of tools by the native agent.',
  keys: PERMISSION_KEYS,
} as const satisfies ObjectSetting;
