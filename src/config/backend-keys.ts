import { BACKEND_TYPES, DETECTED_BACKENDS } from '../core/index.ts';
import { NATIVE_KEYS } from './native-keys.ts';
import type { BackendSetting, ChoiceSetting, Keys, ListSetting } from './setting.ts';

/** The name of a backend. */
export const BACKEND_NAME = {
  kind: 'choice',
  doc: 'Which agent it is: an agent CLI, `acp`, `custom`, `native` for the agent that is built in, or `auto` for the first CLI that is found. Unverified, from their documentation alone: amp, kiro.',
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
    doc: 'How the prompt is handed over; `arg` by default, for opencode `stdin`.',
    values: ['arg', 'stdin', 'file'],
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

/** The keys of a `backend: {…}`. */
export const BACKEND_KEYS = { type: BACKEND_NAME, ...AGENT_KEYS } as const satisfies Keys;

/** `backend:` wherever it may stand. */
export const BACKEND = {
  kind: 'backend',
  doc: 'The agent: a name, `{type, model, args, …}`, `{command, args, …}`, or a list of these, in the order in which `on_limit: switch` tries them.',
  name: BACKEND_NAME,
  keys: BACKEND_KEYS,
} as const satisfies BackendSetting;

/** `cli.priority`. */
export const BACKEND_PRIORITY = {
  kind: 'list',
  doc: 'The order in which agent CLIs are looked for where no backend is named; amp and kiro are unverified.',
  items: { kind: 'choice', doc: 'An agent CLI; amp and kiro are unverified.', values: DETECTED_BACKENDS },
  nonEmpty: true,
  default: DETECTED_BACKENDS,
} as const satisfies ListSetting;
