import { toSenderText } from '../../core/events/event.ts';
import { toResultName } from '../../core/gates/gate-result.ts';
import type { HookRecord } from '../../core/hooks/hook-moments.ts';
import { describeHook } from '../../core/hooks/hook-record.ts';
import type { ScopeViolations, ToolDenial } from '../../core/tools/scope-violations.ts';
import type { BlockedEvent, ConflictView, PublishedEvent, TurnView } from '../fold/run-view.ts';
import { type FactRow, toRow } from '../text/fact-rows.ts';
import { cutText, toCountedList, toNumberText, toPlainLine, toSpentText } from '../text/plain-text.ts';
import { toGateEndText, toRefusalText } from './evidence.ts';
import { toPanelRow } from './panel-text.ts';
import { toConflictCause, toOutcomeText } from './turn-line.ts';

/** Everything known about a turn, except what it was asked, said and changed: that is in separate files. */
export function toTurnDetails(turn: TurnView): readonly FactRow[] {
  return [
    { label: 'Hat', text: turn.hat },
    { label: 'Backend', text: turn.backend === '' ? 'unknown' : toPlainLine(turn.backend, 80) },
    ...toRow('Worker', turn.worker === null ? '' : toPlainLine(turn.worker, 60)),
    { label: 'Outcome', text: `${toOutcomeText(turn)}${turn.exitCode === null ? '' : ` (exit code ${turn.exitCode})`}` },
    ...toRow(
      'Asked by',
      toCountedList(
        turn.given.map(
          ({ id, topic, source, sender, excerpt }) =>
            `${topic} from ${sender === undefined ? source : `${source} (${toSenderText(sender)})`}${excerpt === undefined ? '' : ` (${id}): ${excerpt}`}`,
        ),
        6,
      ),
    ),
    ...toConflictRow(turn.conflict),
    ...toRow('Called', turn.fallback === null ? '' : FALLBACKS[turn.fallback]),
    ...toPanelRow(turn.panel),
    ...turn.published.map((event) => ({ label: 'Event', text: toPublishedText(event) })),
    ...turn.blocked.map((event) => ({ label: 'Blocked', text: toBlockedText(event) })),
    ...turn.refused.map((entry) => ({ label: 'Refused', text: toRefusalText(entry) })),
    ...turn.gates.map((gate) => ({
      label: 'Gate',
      text: `${gate.skipped === true ? 'skipped' : gate.passed ? 'passed' : 'FAILED'}  ${toPlainLine(toResultName(gate), 200)} (${toGateEndText(gate)}${toEvidenceText(gate)})`,
    })),
    ...toScopeRows(turn),
    ...toHookRows(turn.hooks),
    ...toRow('Tools', toToolsText(turn)),
    { label: 'Cost', text: toSpentText(turn.usage, 0) },
    ...toRow('Prompt', turn.promptTokens === null ? '' : `about ${toNumberText(turn.promptTokens)} tokens`),
    ...toRow('Session', turn.sessionId === null ? '' : toPlainLine(turn.sessionId, 120)),
    ...toRow('Command', cutText(turn.command.map((word) => toPlainLine(word, 200)).join(' '), 400)),
    ...toRow('Processes', turn.leftovers === 0 ? '' : `${turn.leftovers} had to be ended after the agent’s own exit`),
  ];
}

function toConflictRow(conflict: ConflictView | null): readonly FactRow[] {
  if (conflict === null) return [];
  const { kept, isGivenAgain } = conflict;
  const fate = isGivenAgain
    ? 'Nothing that it published counts, and its hat gets the same events again'
    : 'For the second time, so it failed';
  return [
    { label: 'Conflict', text: `what it made is not in the folder: ${toConflictCause(conflict)}. ${fate}.` },
    { label: 'Conflict', text: `it is kept in the folder of the run: ${toPlainLine(kept, 200)}` },
  ];
}

function toToolsText({ tools, toolCalls }: TurnView): string {
  const parts = [
    ...(tools === null ? [] : [`${toNumberText(tools)} available`]),
    ...(toolCalls === null ? [] : [`${toNumberText(toolCalls)} ${toolCalls === 1 ? 'call' : 'calls'}`]),
  ];
  return parts.join(', ');
}

function toEvidenceText({ evidence }: TurnView['gates'][number]): string {
  return evidence?.number == null ? '' : `; evidence ${evidence.number}`;
}

const FALLBACKS: Readonly<Record<NonNullable<TurnView['fallback']>, string>> = {
  'empty-queue': 'because nothing was left to do in the queue',
  'refused-twice': 'because a hat wrote only events that were refused, twice',
  exhausted: 'because a hat has had all its activations',
  untaken: 'because no hat takes the event',
};

function toBlockedText({ topic, original, gates, to }: BlockedEvent): string {
  const by = toPlainLine(gates.join(', '), 200);
  return `${original} by ${by}: ${topic} to ${to.length === 0 ? 'nobody' : to.join(' and ')}`;
}

function toPublishedText({ topic, to, how, excerpt }: PublishedEvent): string {
  const whom = to.length === 0 ? ` (${how})` : ` to ${to.join(' and ')}`;
  return `${topic}${whom}${excerpt === '' ? '' : `: ${excerpt}`}`;
}

const LAYERS: Readonly<Record<ToolDenial['layer'], string>> = {
  flags: 'by its CLI',
  os: 'by the operating system',
  profile: 'by its profile',
  hook: 'by a hook',
  permissions: 'by its permissions',
};
const SHOWN = 12;

/** What hooks did in a turn: how often each decided what, and the first that did more than allow. */
export function toHookRows(hooks: HookRecord | null): readonly FactRow[] {
  if (hooks === null) return [];
  const counts = hooks.counts.slice(0, SHOWN).map(({ name, decision, count }) => `${toPlainLine(name, 60)} ${decision} ${count}`);
  const told = hooks.runs.slice(0, SHOWN).map((run) => ({ label: 'Hooks', text: toPlainLine(describeHook(run), 200) }));
  const more = hooks.runs.length > told.length ? [{ label: 'Hooks', text: `and ${hooks.runs.length - told.length} more` }] : [];
  return [{ label: 'Hooks', text: counts.join(', ') }, ...told, ...more];
}

/** What held a hat back in a turn, and what it changed all the same. */
export function toScopeRows({ violations, denials, denied }: Pick<TurnView, 'violations' | 'denials' | 'denied'>): readonly FactRow[] {
  const stopped = denials.slice(0, SHOWN).map(({ tool, use, layer, reason }) => ({
    label: 'Stopped',
    text: `${toPlainLine(tool, 40)}${use === undefined ? '' : ` (${toPlainLine(use, 80)})`} ${LAYERS[layer]}: ${toPlainLine(reason, 160)}`,
  }));
  const rest = denied > stopped.length ? [{ label: 'Stopped', text: `and ${denied - stopped.length} more` }] : [];
  return [...stopped, ...rest, ...(violations === null ? [] : toViolationRows(violations))];
}

function toViolationRows({ changes, total, reverted, diffFile, notes, trusted = [] }: ScopeViolations): readonly FactRow[] {
  const rows = changes.slice(0, SHOWN).map(({ path, what }) => ({ label: 'Forbidden', text: `${what} ${toPlainLine(path, 160)}` }));
  const more = total > rows.length ? [{ label: 'Forbidden', text: `and ${total - rows.length} more` }] : [];
  const fate = total === 0 ? [] : [{ label: 'Forbidden', text: reverted === null ? 'still there' : `${reverted} of ${total} taken back` }];
  const diff = diffFile === null ? [] : [{ label: 'Forbidden', text: `the difference is in the turn's folder: ${diffFile}` }];
  const own = trusted
    .slice(0, SHOWN)
    .map((path) => ({ label: 'Forbidden', text: `changed ${toPlainLine(path, 160)}, which is Ralph's own; undone` }));
  return [
    ...own,
    ...rows,
    ...more,
    ...fate,
    ...diff,
    ...notes.slice(0, SHOWN).map((note) => ({ label: 'Forbidden', text: toPlainLine(note, 200) })),
  ];
}
