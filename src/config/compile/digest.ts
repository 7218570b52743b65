import { createFenceTracker } from '../../core/text/code-fence.ts';
import { isSecret } from '../../core/text/secrets.ts';
import { type Json, toCanonicalJson } from '../../core/values/json.ts';
import type { Settings, SettingsDigest } from '../settings.ts';

/** Sections that are compared key by key. */
const SPLIT = ['event_loop', 'cli', 'core', 'hats', 'ralph', 'worktree', 'prices', 'profiles', 'mcp_servers', 'tools', 'events'];
const IN_PROMPT = ['event_loop.prompt', 'event_loop.prompt_file'];
const SHORT = 16;
/** A task list item of GitHub's Markdown, before, at and after its mark. */
const CHECKBOX = /^([ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t][ \t>]*)+\[)[xX](\](?=[ \t\r]|$))/;

/**
 * The digest of a configuration in force (defaults filled in, texts of files in place of their names) and of its prompt. Equal
 * configurations have equal digests, in whatever order and form they were written. It holds the names of secret variables, not their
 * values, and no marks of checkboxes in the prompt: agents tick what they have done.
 */
export function toDigest(
  effective: Readonly<Record<string, unknown>>,
  objective: string,
  variables: Readonly<Record<string, string>> = {},
): SettingsDigest {
  const secrets = Object.entries(variables).filter(([name, value]) => isSecret(name, value));
  const hide = (text: string): string =>
    secrets.reduce((shown, [name, value]) => shown.replaceAll(toInnerJson(value), `\${${name}}`), text);
  const keys: Record<string, string> = {};
  for (const [name, value] of Object.entries(effective)) {
    const isSplit = SPLIT.includes(name) && typeof value === 'object' && value !== null;
    const parts = isSplit ? Object.entries(value).map(([key, part]) => [`${name}.${key}`, part]) : [[name, value]];
    for (const [key, part] of parts) {
      if (part !== undefined && !IN_PROMPT.includes(key)) keys[key] = toHash(hide(toCanonicalJson(part as Json))).slice(0, SHORT);
    }
  }
  return { config: toHash(toCanonicalJson(keys)), prompt: toHash(withoutTicks(objective)), keys };
}

function withoutTicks(prompt: string): string {
  const fences = createFenceTracker();
  const toLine = (line: string): string => (fences.take(line) ? line : line.replace(CHECKBOX, '$1 $2'));
  return prompt.split('\n').map(toLine).join('\n');
}

/**
 * Names what differs between two settings, in the words of the configuration file: `event_loop.max_iterations`, `hats.builder`, `cli.model`, and
 * `prompt` for what is to be done. Empty where nothing does.
 */
export function diffSettings(before: Settings, after: Settings): readonly string[] {
  const names = new Set([...Object.keys(before.digest.keys), ...Object.keys(after.digest.keys)]);
  const changed = [...names].filter((name) => before.digest.keys[name] !== after.digest.keys[name]);
  return before.digest.prompt === after.digest.prompt ? changed : [...changed, 'prompt'];
}

/** A text as it stands in JSON. */
function toInnerJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** Loads the module when it is first needed: most commands that load a configuration compare nothing, and it costs as much as the rest of them. */
function toHash(text: string): string {
  return process.getBuiltinModule('node:crypto').createHash('sha256').update(text).digest('hex');
}
