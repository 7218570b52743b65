import { TOPIC_RESUME, TOPIC_START } from '../../core/events/reserved.ts';
import { matchesTopic } from '../../core/events/topics.ts';
import type { Repair } from '../../core/schema/finding.ts';
import { type GuessedTrigger, guessTriggers } from '../compile/guess-triggers.ts';
import { quote } from '../findings/diagnostics.ts';
import type { Diagnostic } from '../findings/located.ts';
import { type DeclaredHat, TRIGGER_KEYS, triggersOf } from '../keys/settings-table.ts';
import { findingAt, findingBetween, listHats, type RuleInput } from './rule.ts';

/** Every hat has triggers, and says them in one way. */
export function checkTriggers(input: RuleInput): readonly Diagnostic[] {
  const hats = listHats(input);
  const guesses = guessTriggers(hats, input.declared.event_loop);
  const woken = hats.filter(([, hat]) => triggersOf(hat).length > 0);
  const isStarted = woken.some(([, hat]) => triggersOf(hat).some((trigger) => matchesTopic(trigger, TOPIC_START)));
  const publisher = isStarted ? woken[0] : undefined;
  return hats.flatMap(([id, hat]) => {
    if (TRIGGER_KEYS.some((key) => input.isBroken(['hats', id, key]))) return [];
    if (triggersOf(hat).length > 0) return findConflicts(input, id, hat);
    const guess = guesses.get(id);
    const repairs = guess === undefined ? {} : { repairs: [toRepair(id, guess)] };
    return [toMissing(input, [id, hat], { fix: toFix(id, guess, publisher), ...repairs })];
  });
}

type NamedHat = readonly [id: string, hat: DeclaredHat];

function toMissing(input: RuleInput, [id, hat]: NamedHat, remedy: Pick<Diagnostic, 'fix' | 'repairs'>): Diagnostic {
  const written = TRIGGER_KEYS.find((key) => hat[key] !== undefined);
  return findingAt(
    input,
    written === undefined ? ['hats', id] : ['hats', id, written],
    {
      code: 'triggers-missing',
      severity: 'error',
      message: `Hat ${quote(id, "'")} has no triggers.`,
      why: 'Nothing could ever wake it.',
      fix: remedy.fix,
      ...(remedy.repairs === undefined ? {} : { repairs: remedy.repairs }),
    },
    'key',
  );
}

function toRepair(id: string, { topic, isOnly }: GuessedTrigger): Repair {
  const to = { kind: 'hat-list', hat: id, list: 'triggers' } as const;
  return {
    title: `let ${quote(id, "'")} take "${topic}", which nobody takes`,
    isSafe: isOnly,
    change: { kind: 'add-item', to, item: topic },
  };
}

/** Proposes the event that nobody takes; else the start, where that is free; else a new event that another hat publishes. */
function toFix(id: string, guess: GuessedTrigger | undefined, publisher: NamedHat | undefined): string {
  const write = (topics: string, before = ''): string => `hats:\n${before}  ${id}:\n    triggers: [${topics}]`;
  if (guess !== undefined) return `Let it take '${guess.topic}', which nobody takes:\n\n${write(guess.topic)}`;
  if (publisher === undefined) return `Name the topics that wake it:\n\n${write(`${TOPIC_START}, ${TOPIC_RESUME}`)}`;
  const topic = /^[A-Za-z0-9_-]+$/.test(id) ? `${id}.request` : 'work.request';
  const published = [...(publisher[1].publishes ?? []).map((entry) => entry.topic), topic].map((entry) => JSON.stringify(entry)).join(', ');
  return `Name the topics that wake it, such as one that another hat publishes:\n\n${write(topic, `  ${publisher[0]}:\n    publishes: [${published}]\n`)}`;
}

function findConflicts(input: RuleInput, id: string, hat: DeclaredHat): readonly Diagnostic[] {
  const [first, ...others] = TRIGGER_KEYS.filter((key) => hat[key] !== undefined);
  if (first === undefined) return [];
  return others.flatMap((key) => {
    if (isSameSet(hat[first] ?? [], hat[key] ?? [])) return [];
    const finding = {
      code: 'triggers-conflict',
      severity: 'error',
      message: `\`${first}\` and \`${key}\` of hat ${quote(id, "'")} differ.`,
      why: 'Both are names of the same setting, and only one of them could be followed.',
      fix: `Put all topics under \`triggers:\` and remove \`${key}\`.`,
    } as const;
    return [findingBetween(input, ['hats', id, key], finding, ['hats', id, first], `\`${first}\` is here.`)];
  });
}

function isSameSet(left: readonly string[], right: readonly string[]): boolean {
  const a = new Set(left);
  const b = new Set(right);
  return a.size === b.size && [...a].every((item) => b.has(item));
}
