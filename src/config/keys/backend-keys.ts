import { BACKEND_TYPES, DETECTED_BACKENDS, NATIVE_PROVIDERS, UNVERIFIED_BACKENDS } from '../../core/backends/backend-spec.ts';
import type { BackendSetting, ChoiceSetting, Keys, ListSetting } from './setting.ts';

/** What can be said of the native agent, beside `model`. */
export const NATIVE_KEYS = {
  provider: {
    kind: 'choice',
    doc: '`native`: whose wire format the model speaks; found out by the name of the model where it can be. `scripted` plays `script`.',
    values: NATIVE_PROVIDERS,
  },
  base_url: {
    kind: 'variable',
    doc: '`native`: another address of the provider: anthropic and google without a version, the openai kinds with `/v1`.',
  },
  api_key_env: { kind: 'word', doc: "`native`: the environment variable that holds the key; the provider's usual one by default." },
  script: { kind: 'file', doc: '`native` with `provider: scripted`: a YAML file with what the model says, relative to the workspace.' },
  effort: {
    kind: 'choice',
    doc: '`native`: how much the model thinks, in the way that its provider takes it; as the provider does it by default. A model that takes no such word is told of (`effort-ignored`).',
    values: ['low', 'medium', 'high'],
  },
  context: {
    kind: 'choice',
    doc: '`native`: `fresh` (the default) begins every turn anew, `carry` goes on with the conversation over turns and hats.',
    values: ['fresh', 'carry'],
  },
  max_steps: { kind: 'integer', doc: '`native`: calls of the model in one turn; no limit by default.', min: 1 },
  max_cost: { kind: 'money', doc: '`native`: US dollars that one turn may cost; no limit by default.', above: 0 },
  max_output_tokens: { kind: 'integer', doc: "`native`: the longest answer of the model; the provider's own by default.", min: 1 },
  context_tokens: { kind: 'integer', doc: '`native`: how much the model can read at once; by provider where it is not said.', min: 4000 },
} as const satisfies Keys;

const UNVERIFIED = UNVERIFIED_BACKENDS.join(', ');

export const BACKEND_NAME = {
  kind: 'choice',
  doc: `Which agent it is: an agent CLI, \`acp\`, \`custom\`, \`native\` for the agent that is built in, or \`auto\` for the first CLI that is found. Unverified, from their documentation alone: ${UNVERIFIED}.`,
  // A scripted agent is made by a program that uses this package; a file cannot hold its script.
  values: BACKEND_TYPES.filter((type) => type !== 'scripted'),
} as const satisfies ChoiceSetting;

/** What can be said of a backend, under `cli:` for all, and in a `backend: {…}` for one. */
export const AGENT_KEYS = {
  command: { kind: 'line', doc: 'The program to start; alone it makes the backend a `custom` one.' },
  args: { kind: 'list', doc: 'Extra arguments, before the prompt.', items: { kind: 'variable', doc: 'One argument.' } },
  model: { kind: 'word', doc: 'The model, as the agent calls it.' },
  agent: { kind: 'word', doc: 'The agent profile of a CLI that has such (claude, opencode, copilot; kiro, unverified).' },
  env: {
    kind: 'map',
    doc: 'Environment variables, added to the inherited ones.',
    values: { kind: 'variable', doc: 'The value.' },
    variables: true,
  },
  cwd: { kind: 'file', doc: 'The folder the agent works in, relative to the workspace.' },
  prompt_mode: {
    kind: 'choice',
    doc: 'How the prompt is handed over; `arg` by default, for opencode `stdin`. `stream` (claude): as the first message of a conversation, so that it can be told something while it works.',
    values: ['arg', 'stdin', 'file', 'stream'],
  },
  prompt_flag: { kind: 'word', doc: '`custom`: the flag before the prompt; without it the prompt is the last argument.' },
  output_format: {
    kind: 'choice',
    doc: '`custom`: whether plain text (the default) or a known JSON stream is read.',
    values: ['text', 'stream'],
  },
  permissions: {
    kind: 'choice',
    doc: '`bypass`: agents work unattended and ask nobody. `default`: as the CLI itself is set up.',
    values: ['bypass', 'default'],
  },
  user_settings: {
    kind: 'flag',
    doc: '`claude`: whether your own settings count, with their hooks and plugins; by default only those of the project do.',
  },
  ...NATIVE_KEYS,
} as const satisfies Keys;

export const BACKEND_KEYS = {
  type: BACKEND_NAME,
  ...AGENT_KEYS,
  hooks: {
    kind: 'hooks',
    verbatim: true,
    doc: '`native`: what is asked about every call of a tool by this agent, after those of `hooks` and of the hat; `{override: true, hooks: […]}` in their place.',
  },
} as const satisfies Keys;

/** `backend:` wherever it may stand. */
export const BACKEND = {
  kind: 'backend',
  doc: 'The agent: a name, `{type, model, args, …}`, `{command, args, …}`, or a list of these, in the order in which `on_limit: switch` tries them.',
  name: BACKEND_NAME,
  keys: BACKEND_KEYS,
} as const satisfies BackendSetting;

export const BACKEND_PRIORITY = {
  kind: 'list',
  doc: `The order in which agent CLIs are looked for where no backend is named; unverified: ${UNVERIFIED}.`,
  items: { kind: 'choice', doc: `An agent CLI; unverified: ${UNVERIFIED}.`, values: DETECTED_BACKENDS },
  nonEmpty: true,
  default: DETECTED_BACKENDS,
} as const satisfies ListSetting;

export const EMIT_TOOL = {
  kind: 'choice',
  doc: 'The tool `emit_event` for agent CLIs: `auto` for hats with a profile, whose shell may be closed, `on` for all, `all` for all with `list_hats` and `read_events` beside it, or `off`.',
  values: ['auto', 'on', 'all', 'off'],
  default: 'auto',
} as const satisfies ChoiceSetting;
