import type { PromptContext } from './prompt-context.ts';
import { block, cleanText } from './quoting.ts';
import { type Section, section } from './section.ts';
import { ours } from './words.ts';

const NOTE = 'Nobody answers questions: decide, and note why in the scratchpad.';
const SAY = 'Nobody answers questions: decide, and say why in your event.';
/** What every agent must know, whatever its task. Replaced by `core.guardrails`. */
const BUILT_IN = [
  'Search before you write: it may exist already.',
  'No stubs, no invented results, no weakened or skipped checks.',
  'Change only what the task needs; leave `.ralph/` alone.',
  'Leave no process running.',
];

/** The guardrails: the user's, else the built-in ones. */
export function planGuardrails({ settings, topology, turn }: PromptContext): Section | null {
  if (settings.guardrails === null) return section('GUARDRAILS', ours(toList([turn.mayNote === false ? SAY : NOTE, ...BUILT_IN])));
  return section('GUARDRAILS', block(toList(settings.guardrails), topology.spec.promise));
}

function toList(rules: readonly string[]): string {
  const clean = rules.map((rule) => cleanText(rule).replace(/\s+/g, ' ').trim()).filter((rule) => rule !== '');
  return clean.map((rule) => `- ${rule}`).join('\n');
}
