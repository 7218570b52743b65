import { AGENT_KEYS, BACKEND, BACKEND_PRIORITY } from './backend-keys.ts';
import { EMIT_TOOL } from './emit-tool-keys.ts';
import { EVENTS } from './event-keys.ts';
import { EVENT_LOOP_KEYS } from './event-loop-keys.ts';
import { CHANGED_TESTS, GATE_BASELINE, GATE_KEYS, PROTECT } from './gate-keys.ts';
import { HAT_KEYS, RALPH_KEYS } from './hat-keys.ts';
import { ISOLATION } from './isolation-keys.ts';
import { MCP_SERVERS, PROFILES } from './profile-keys.ts';
import { EXTERNAL_EVENTS, ON_VIOLATION, SANDBOX } from './sandbox-keys.ts';
import type { Keys, ObjectSetting, ValuesOf } from './setting.ts';
import { TOOLS } from './tools-keys.ts';
import { SAFE, WORKSPACE } from './workspace-keys.ts';

const LATER = { kind: 'later', doc: 'Not read by this version.' } as const;
const PRICE = { kind: 'number', min: 0 } as const;

/** The keys of `cli:`. */
export const CLI_KEYS = {
  backend: BACKEND,
  ...AGENT_KEYS,
  permissions: { ...AGENT_KEYS.permissions, default: 'bypass' },
  priority: BACKEND_PRIORITY,
  emit_tool: EMIT_TOOL,
} as const satisfies Keys;

/** The keys of `core:`. */
export const CORE_KEYS = {
  scratchpad: { kind: 'path', doc: 'The notes that agents keep between turns.', default: '.agent/scratchpad.md' },
  events_file: { kind: 'path', doc: 'The file that agents append events to.', default: '.agent/events.jsonl' },
  specs_dir: { kind: 'file', doc: 'Where agents find specifications.', default: './specs/' },
  guardrails: {
    kind: 'list',
    doc: 'Rules for every agent instead of the built-in ones.',
    items: { kind: 'text', doc: 'One rule.', verbatim: true },
  },
  state_dir: { kind: 'path', doc: 'Where the journals of runs are kept.', default: '.ralph' },
  turn_log_mb: { kind: 'number', doc: 'How much of the output of one turn is kept, in megabytes.', above: 0, default: 64 },
} as const satisfies Keys;

/** The keys of `prices.<model>`. */
const PRICE_KEYS = {
  input: { ...PRICE, doc: 'US dollars for a million input tokens.', required: true },
  output: { ...PRICE, doc: 'US dollars for a million output tokens.', required: true },
  cache_read: { ...PRICE, doc: 'US dollars for a million tokens read from the cache; `input` by default.' },
  cache_write: { ...PRICE, doc: 'US dollars for a million tokens written to the cache; `input` by default.' },
  as_of: { kind: 'word', doc: 'The day on which the price was true, such as 2026-11-21.' },
} as const satisfies Keys;

/** The keys of `limits:`. */
const LIMITS_KEYS = {
  watch: {
    kind: 'choice',
    doc: 'Whether quotas and rate limits are looked for of which an agent CLI says nothing in its output: in its log, else by a silence of 120 s.',
    values: ['auto', 'off'],
    default: 'auto',
  },
} as const satisfies Keys;

/** The keys of `worktree:`. */
export const WORKTREE_KEYS = {
  link: {
    kind: 'list',
    doc: 'Files and folders that a worktree shares with the main checkout.',
    items: { kind: 'path', doc: 'A path.' },
    default: [],
  },
} as const satisfies Keys;

/** The keys of the whole file. */
export const TOP_KEYS = {
  name: { kind: 'word', doc: 'What people call this collection.' },
  description: { kind: 'text', doc: 'What this collection is for.' },
  mode: {
    kind: 'choice',
    doc: '`single`: one agent, the classic loop; `multi`: the hats coordinate themselves.',
    values: ['single', 'multi'],
  },
  event_loop: { kind: 'object', doc: 'The loop: its prompt, its limits, who coordinates.', keys: EVENT_LOOP_KEYS },
  cli: { kind: 'object', doc: 'The agent that hats wear by default.', keys: CLI_KEYS },
  core: { kind: 'object', doc: 'Files and folders.', keys: CORE_KEYS },
  hats: { kind: 'map', doc: 'The team.', hatIds: true, values: { kind: 'object', doc: 'A hat.', keys: HAT_KEYS } },
  ralph: { kind: 'object', doc: 'Ralph himself.', keys: RALPH_KEYS },
  gates: {
    kind: 'list',
    doc: 'Commands that must succeed before an event counts.',
    items: { kind: 'object', doc: 'A gate.', keys: GATE_KEYS },
  },
  prices: {
    kind: 'map',
    doc: 'Prices of models (or backends) whose agent reports tokens but no cost.',
    values: { kind: 'object', doc: 'Prices for a million tokens.', keys: PRICE_KEYS },
  },
  notify: { kind: 'command', doc: 'A command line that is run at the end of a run.' },
  workspace: WORKSPACE,
  safe: SAFE,
  worktree: { kind: 'object', doc: 'Runs in a git worktree of their own.', keys: WORKTREE_KEYS },
  protect: PROTECT,
  gate_baseline: GATE_BASELINE,
  changed_tests: CHANGED_TESTS,
  profiles: PROFILES,
  permissions: LATER,
  hooks: LATER,
  hooks_defaults: LATER,
  mcp_servers: MCP_SERVERS,
  events: EVENTS,
  sandbox: SANDBOX,
  on_violation: ON_VIOLATION,
  external_events: EXTERNAL_EVENTS,
  isolation: ISOLATION,
  limits: { kind: 'object', doc: 'Quotas and rate limits of agents.', keys: LIMITS_KEYS },
  tools: TOOLS,
  providers: LATER,
  agents: LATER,
  fleet: LATER,
} as const satisfies Keys;

/** The settings table: everything that can be written in a configuration file. */
export const SETTINGS_TABLE = { kind: 'object', doc: 'A configuration of Ralph.', keys: TOP_KEYS } as const satisfies ObjectSetting;

/** A configuration as it was written, checked: what is wrong or unknown is left out. */
export type Declared = ValuesOf<typeof TOP_KEYS>;
/** One hat of it. */
export type DeclaredHat = ValuesOf<typeof HAT_KEYS>;
