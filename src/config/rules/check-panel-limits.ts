import { isCostUnknown } from '../../core/backends/cost-reports.ts';
import { hasWildcard } from '../../core/events/topics.ts';
import type { Finding } from '../../core/schema/finding.ts';
import { toDurationText, toUsdText } from '../../core/text/duration.ts';
import { backendsOf, type CompiledBackends, toBackendSpec } from '../compile/compile-backends.ts';
import { listMembers } from '../compile/compile-panel.ts';
import type { Diagnostic, Path } from '../findings/located.ts';
import { EVENT_LOOP_KEYS } from '../keys/event-loop-keys.ts';
import { MIN_PANEL_AGENTS, PANEL_KEYS } from '../keys/panel-keys.ts';
import { toEffective } from '../keys/setting-values.ts';
import type { DeclaredHat, DeclaredPanel } from '../keys/settings-table.ts';
import { toWordRepair } from '../keys/value-finding.ts';
import { findingAt, findingBetween, listHats, type RuleInput } from './rule.ts';

/** A panel that is looked at, with the hat that wears it. */
interface CheckedPanel {
  readonly input: RuleInput;
  readonly id: string;
  readonly hat: DeclaredHat;
  readonly panel: DeclaredPanel;
  readonly path: Path;
}

/** What can be proved of panels that could run: limits that are never met, keys that say nothing, and topics that no answer could name. */
export function checkPanelLimits(input: RuleInput, backends: CompiledBackends): readonly Diagnostic[] {
  return listHats(input).flatMap(([id, hat]) => {
    const { panel } = hat;
    // That it has too few is told, and says enough.
    if (panel === undefined || listMembers(panel).length < MIN_PANEL_AGENTS) return [];
    const place: CheckedPanel = { input, id, hat, panel, path: ['hats', id, 'panel'] };
    return [
      ...checkBudget(place, backends),
      ...checkTimeout(place),
      ...checkAnswers(place),
      ...checkIdleKeys(place),
      ...checkTopics(place),
    ];
  });
}

function toFinding({ id }: CheckedPanel, parts: Pick<Finding, 'code' | 'message' | 'why' | 'fix'> & Partial<Finding>): Finding {
  return { severity: 'warning', hats: [id], ...parts };
}

function checkBudget(place: CheckedPanel, backends: CompiledBackends): readonly Diagnostic[] {
  const { input, id, panel, path } = place;
  const { budget_usd: budget } = panel;
  if (budget === undefined) return [];
  const at = [...path, 'budget_usd'];
  const limit = input.declared.event_loop?.max_cost_usd;
  const tooMuch = (message: string, why: string, fix: string): Finding => toFinding(place, { code: 'panel-budget', message, why, fix });
  if (limit !== undefined && budget >= limit) {
    const finding = tooMuch(
      `This panel may spend ${toUsdText(budget)}, and the run is ended at ${toUsdText(limit)}.`,
      'The run stops first: its turn is interrupted, and what its agents have handed in is not decided about.',
      'Write less than `event_loop.max_cost_usd`, so that the panel comes to its end with what there is.',
    );
    return [findingBetween(input, at, finding, ['event_loop', 'max_cost_usd'], 'The limit of the run is here.')];
  }
  const priced = Object.keys(input.declared.prices ?? {});
  const specs = backendsOf(id, backends).map(toBackendSpec);
  if (specs.length === 0 || !specs.every((spec) => isCostUnknown(spec, priced))) return [];
  const blind = tooMuch(
    'No agent of this panel tells what it costs.',
    'So `budget_usd` is never reached: it stops nobody.',
    'Give their models a price under `prices`, or limit the panel by `timeout` and `max_answers_total`.',
  );
  return [findingAt(input, at, blind)];
}

/** Only a time that is written out: the usual one is no promise. */
function checkTimeout(place: CheckedPanel): readonly Diagnostic[] {
  const { input, hat, id, panel, path } = place;
  const { timeout } = panel;
  if (timeout === undefined) return [];
  const loop = toEffective(EVENT_LOOP_KEYS, input.declared.event_loop);
  const tell = (limitMs: number, at: Path, what: string, why: string): readonly Diagnostic[] => {
    const finding = toFinding(place, {
      code: 'panel-timeout',
      message: `This panel may take ${toDurationText(timeout)}, and ${what} ${toDurationText(limitMs)}.`,
      why,
      fix: 'Write a shorter `timeout`, or a longer limit there.',
      repairs: [toWordRepair(`${limitMs / 1000}s`, false)],
    });
    const isWritten = readSetting(input, at);
    return [
      isWritten
        ? findingBetween(input, [...path, 'timeout'], finding, at, 'That limit is here.')
        : findingAt(input, [...path, 'timeout'], finding),
    ];
  };
  if (timeout > loop.max_runtime_seconds)
    return tell(
      loop.max_runtime_seconds,
      ['event_loop', 'max_runtime_seconds'],
      'the run',
      'The run stops first: its turn is interrupted, and what its agents have handed in is not decided about.',
    );
  const turnMs = hat.timeout_seconds ?? loop.timeout_seconds;
  if (timeout <= turnMs) return [];
  const at = hat.timeout_seconds === undefined ? ['event_loop', 'timeout_seconds'] : ['hats', id, 'timeout_seconds'];
  return tell(turnMs, at, 'a turn of its hat', 'The shorter of the two counts: what there is then decides.');
}

function readSetting({ declared }: RuleInput, [top, key, inner]: Path): boolean {
  if (top === 'hats') return inner !== undefined;
  return key === 'max_runtime_seconds'
    ? declared.event_loop?.max_runtime_seconds !== undefined
    : declared.event_loop?.timeout_seconds !== undefined;
}

function checkAnswers(place: CheckedPanel): readonly Diagnostic[] {
  const { input, panel, path } = place;
  const { max_answers_total: total } = panel;
  const count = listMembers(panel).length;
  // That fewer answers are allowed than there have to be is told, and says enough.
  if (total === undefined || total >= count || total < (panel.min_agents ?? 1)) return [];
  const finding = toFinding(place, {
    code: 'panel-answers',
    severity: 'hint',
    message: `Of ${count} agents, ${total === 1 ? 'one' : total} can answer: the other${count - total === 1 ? '' : 's'} can only vote.`,
    why: 'All of them begin to work on an answer, and what the slower ones have made is refused.',
    fix: `Write at least ${count}, or take agents away.`,
    repairs: [toWordRepair(String(count), false)],
  });
  return [findingAt(input, [...path, 'max_answers_total'], finding)];
}

/** A key that is written out and says nothing, and the one that makes it so. */
interface IdleKey {
  readonly key: keyof typeof PANEL_KEYS;
  readonly by: keyof typeof PANEL_KEYS;
  readonly isSo: boolean;
  readonly why: string;
  readonly fix: string;
}

function checkIdleKeys(place: CheckedPanel): readonly Diagnostic[] {
  const { input, panel, path } = place;
  return listIdleKeys(panel).flatMap(({ key, by, isSo, why, fix }) => {
    if (!isSo || panel[key] === undefined) return [];
    const value = panel[by];
    const beside = value === undefined ? `without \`${by}\`` : `beside \`${by}: ${String(value)}\``;
    const finding = toFinding(place, {
      code: 'panel-idle-key',
      message: `\`${key}\` says nothing ${beside}.`,
      why,
      fix: `Remove \`${key}\`, or ${fix}.`,
    });
    const at = [...path, key];
    return [value === undefined ? findingAt(input, at, finding) : findingBetween(input, at, finding, [...path, by], 'It is here.')];
  });
}

function listIdleKeys(declared: CheckedPanel['panel']): readonly IdleKey[] {
  const panel = toEffective(PANEL_KEYS, declared);
  const { injection, first_injection: first, max_answers_total: total } = panel;
  const isOff = injection === 'off';
  const isNeverMid = injection === 'restart' && first !== 'mid_stream';
  const noNews = 'Agents at work are told of nothing.';
  const oneAnswer = 'With one answer there is nothing to vote about: it is taken.';
  return [
    { key: 'first_injection', by: 'injection', isSo: isOff, why: noNews, fix: 'write `injection: mid_stream`' },
    { key: 'max_injections', by: 'injection', isSo: isOff, why: noNews, fix: 'write `injection: mid_stream`' },
    {
      ...{ key: 'max_injections', by: 'injection', isSo: isNeverMid, fix: 'write `injection: mid_stream`' },
      why: 'It counts news that agents get while they work, and every one of these is a new prompt.',
    },
    {
      ...{ key: 'novelty', by: 'max_answers_per_agent', isSo: panel.max_answers_per_agent === 1, fix: 'write `max_answers_per_agent: 2`' },
      why: 'Only a further answer of the same agent is compared, and each gives one.',
    },
    { key: 'quorum', by: 'max_answers_total', isSo: total === 1, why: oneAnswer, fix: 'allow more answers' },
    { key: 'tie', by: 'max_answers_total', isSo: total === 1, why: oneAnswer, fix: 'allow more answers' },
    {
      ...{ key: 'grace', by: 'round_timeout', isSo: panel.round_timeout === undefined, fix: 'write `round_timeout` too' },
      why: 'It is the time after that limit.',
    },
  ];
}

/** An answer names a topic that is written out: of patterns there is none. */
function checkTopics(place: CheckedPanel): readonly Diagnostic[] {
  const { input, id, hat } = place;
  const { publishes = [], default_publishes: byDefault = [] } = hat;
  if (publishes.length === 0 || byDefault.length > 0 || publishes.some(({ topic }) => !hasWildcard(topic))) return [];
  const finding = toFinding(place, {
    code: 'panel-topics',
    message: `No answer of this panel can name what the hat publishes: ${publishes.length === 1 ? 'it is a pattern' : 'these are patterns'}.`,
    why: 'The agents of a panel choose among topics that are written out. Its turns would end without an event.',
    fix: 'Write the topics out, or name one under `default_publishes`.',
    topics: publishes.map(({ topic }) => topic),
  });
  return [findingAt(input, ['hats', id, 'publishes'], finding)];
}
