import { TOPIC_SCOPE_VIOLATION } from '../../core/events/reserved.ts';
import type { IterationEnded } from '../../core/run/inputs.ts';
import type { Activation } from '../../core/run/state.ts';
import type { WorkConflict } from '../../core/run/turn.ts';
import type { ScopeViolations, ToolDenial } from '../../core/tools/scope-violations.ts';
import type { Json } from '../../core/values/json.ts';
import { type LoopStep, notify, recordDraft, tell } from './step.ts';

/** How many paths are named to people and to the hat. */
const NAMED = 8;

/**
 * Tells people which uses of tools were stopped, and people and the hat that a hat which may not write has written. The latter is also recorded, as an event
 * of the hat's that nobody gets.
 */
export function noteViolations(step: LoopStep, activation: Activation, input: IterationEnded): void {
  const { hat } = activation;
  if (input.denials !== undefined) notify(step, 'info', 'tool-denied', `${hat}: ${toDenialText(input.denials, input.denied)}`);
  const { violations } = input;
  if (violations === undefined) return;
  if (violations.between !== undefined) notify(step, 'warning', 'tree-between', toBetweenText(hat, violations.between));
  const isUnseen = violations.isUnseen === true;
  const { trusted = [] } = violations;
  if (violations.total === 0) for (const note of violations.notes) notify(step, 'warning', 'tree-unseen', `${hat} may not write. ${note}`);
  if (violations.total === 0 && !isUnseen && trusted.length === 0) return;
  const paths = violations.changes.map((change) => change.path);
  // A turn whose changes cannot be seen is not taken for a good one: an agent could else break git to hide them.
  recordDraft(step, { topic: `${hat}.${TOPIC_SCOPE_VIOLATION}`, payload: toViolationPayload(violations), source: hat }, 'record');
  if (trusted.length > 0) {
    notify(step, 'warning', 'trusted-changed', toTrustedText(hat, trusted));
    tell(step, hat, { kind: 'trusted-changed', paths: trusted.slice(0, NAMED) });
  }
  if (violations.total === 0 && !isUnseen) return;
  if (violations.total > 0) notify(step, 'warning', 'tree-changed', toChangedText(hat, paths, violations));
  tell(step, hat, { kind: 'tree-changed', paths: paths.slice(0, NAMED), total: violations.total, reverted: violations.reverted });
}

function toBetweenText(hat: string, { paths, total }: NonNullable<ScopeViolations['between']>): string {
  const named = paths.slice(0, NAMED);
  const more = total > named.length ? ` and ${total - named.length} more` : '';
  return `changed between turns, before ${hat} began: ${named.join(', ')}${more}. It was a person, a gate, or a process that an earlier turn left.`;
}

function toTrustedText(hat: string, paths: readonly string[]): string {
  const more = paths.length > NAMED ? ` and ${paths.length - NAMED} more` : '';
  return `${hat} changed what Ralph itself runs or believes: ${paths.slice(0, NAMED).join(', ')}${more}. Files were put back; programs for git are not run, and later runs do not run them until you confirm them (the next one says how; look: git config --show-origin --list)`;
}

function toViolationPayload({ changes, total, diffFile, reverted, notes, isUnseen, trusted }: ScopeViolations): Json {
  const shown = changes.map(({ path, what }) => ({ path, what }));
  return {
    changes: shown,
    total,
    diff: diffFile,
    reverted,
    notes,
    ...(isUnseen === true ? { unseen: true } : {}),
    ...(trusted === undefined ? {} : { trusted }),
  };
}

function toChangedText(hat: string, paths: readonly string[], { total, reverted, notes }: ScopeViolations): string {
  const more = total > NAMED ? ` and ${total - NAMED} more` : '';
  const fate = reverted === null ? 'They stand' : `${reverted} of ${total} taken back`;
  const left = notes.length === 0 ? '' : ` (${notes.slice(0, 3).join('; ')})`;
  return `${hat} may not write, and changed ${paths.slice(0, NAMED).join(', ')}${more}. ${fate}${left}.`;
}

/** `2 uses of tools were stopped: Write by the rules of its CLI, Bash by the operating system`. */
function toDenialText(denials: readonly ToolDenial[], count = denials.length): string {
  const what = [...new Set(denials.map(({ tool, layer }) => `${tool} by ${LAYERS[layer]}`))];
  return `${count === 1 ? 'one use of a tool was' : `${count} uses of tools were`} stopped: ${what.slice(0, NAMED).join(', ')}`;
}

const LAYERS: Readonly<Record<ToolDenial['layer'], string>> = {
  flags: 'the rules of its CLI',
  os: 'the operating system',
  profile: 'its profile',
  hook: 'a hook',
  permissions: 'its permissions',
};

/** What became of work that could not be taken over into the folder. */
export function toConflictText(hat: string, { paths, total, kept, why }: WorkConflict): string {
  const more = total > NAMED ? ` and ${total - NAMED} more` : '';
  const cause = why ?? `${paths.slice(0, NAMED).join(', ')}${more} changed in the folder meanwhile`;
  return `What ${hat} made was not taken over: ${cause}. It is kept in the folder of the run: ${kept}.`;
}
