import type { Finding } from '../../core/schema/finding.ts';
import { quote } from '../findings/diagnostics.ts';
import { type Diagnostic, isEmptyValue, type Path, readAt } from '../findings/located.ts';
import { MIN_PANEL_AGENTS } from '../keys/panel-keys.ts';
import { type DeclaredPanel, HAT_ID_PATTERN, MAX_HAT_ID_LENGTH, RESERVED_HAT_IDS } from '../keys/settings-table.ts';
import { toWordRepair } from '../keys/value-finding.ts';
import { findingAt, findingBetween, listHats, type Rule, type RuleInput } from './rule.ts';

interface CountedPanel {
  readonly input: RuleInput;
  readonly hat: string;
  readonly path: Path;
  /** Agents in the file that answer and vote, also those that are wrong. */
  readonly count: number;
}

/** Several agents that wear one hat can come to an answer. */
export const checkPanels: Rule = (input) =>
  listHats(input).flatMap(([hat, { panel, backend = [] }]) => {
    if (panel === undefined) return [];
    const path = ['hats', hat, 'panel'];
    const { agents = [], synthesizer } = panel;
    const others = synthesizer !== undefined && agents.some(({ id }) => id === synthesizer) ? 1 : 0;
    const place = { input, hat, path, count: countAgents(input, [...path, 'agents']) - others };
    return [
      ...(backend.length > 1 ? [findingAt(input, ['hats', hat, 'backend'], toBackendsFinding(hat))] : []),
      ...checkIds(place, panel),
      ...checkCount(place, panel),
      ...checkBounds(place, panel),
    ];
  });

const AGENT_ID = new RegExp(HAT_ID_PATTERN);

function countAgents(input: RuleInput, path: Path): number {
  const agents = readAt(input.root, path);
  if (agents === undefined || isEmptyValue(agents)) return 0;
  return agents.kind === 'list' ? agents.items.length : 1;
}

function toBackendsFinding(hat: string): Finding {
  return {
    code: 'panel-backends',
    severity: 'error',
    message: `The hat ${quote(hat, "'")} has a panel and a list of backends.`,
    why: 'Each agent of a panel has one backend: `on_limit: switch` has nothing to switch to.',
    fix: 'Leave one, which is that of every agent that names none, and write the others at the agents: `agents: [{id: one, backend: claude}, …]`.',
    hats: [hat],
  };
}

function checkIds({ input, hat, path }: CountedPanel, { agents = [] }: DeclaredPanel): readonly Diagnostic[] {
  const known = new Map<string, Path>();
  return agents.flatMap(({ id }, index): readonly Diagnostic[] => {
    if (id === undefined) return [];
    const at = [...input.toItemPath([...path, 'agents'], index), 'id'];
    const first = known.get(id);
    if (first !== undefined) return [findingBetween(input, at, toTwiceFinding(hat, id), first, 'The first is here.')];
    known.set(id, at);
    const isRight = AGENT_ID.test(id) && id.length <= MAX_HAT_ID_LENGTH && !RESERVED_HAT_IDS.includes(id);
    return isRight ? [] : [findingAt(input, at, toIdFinding(hat, id))];
  });
}

function toTwiceFinding(hat: string, id: string): Finding {
  return {
    code: 'panel-agent-id',
    severity: 'error',
    message: `Two agents of this panel are called ${quote(id)}.`,
    why: 'Nobody could tell whose answer and whose vote is meant.',
    fix: 'Give each its own id.',
    hats: [hat],
  };
}

function toIdFinding(hat: string, id: string): Finding {
  return {
    code: 'panel-agent-id',
    severity: 'error',
    message: `${quote(id)} cannot be the id of an agent.`,
    why: 'Ids are used in the journal of a run and in file names.',
    fix: `Use at most ${MAX_HAT_ID_LENGTH} letters, digits, \`_\` and \`-\`, and no word that means something to the loop, such as \`ralph\`.`,
    hats: [hat],
  };
}

function checkCount({ input, hat, path, count }: CountedPanel, { tie }: DeclaredPanel): readonly Diagnostic[] {
  const at = [...path, 'agents'];
  const isOpen = tie === undefined && count % 2 === 0;
  if (count >= MIN_PANEL_AGENTS) return isOpen ? [findingAt(input, at, toEvenFinding(hat, count), 'key')] : [];
  // That there is no list, or that what stands there is no agent, is told already.
  if (input.isBroken(at)) return [];
  return [
    findingAt(input, at, {
      code: 'panel-agents',
      severity: 'error',
      message: `A panel has at least ${MIN_PANEL_AGENTS} agents that answer, and this one has ${count === 0 ? 'none' : count}.`,
      why: 'There would be nobody to choose from, and a vote of one.',
      fix: 'Add agents, or remove `panel` and name the agent under `backend`.',
      hats: [hat],
    }),
  ];
}

function toEvenFinding(hat: string, count: number): Finding {
  return {
    code: 'panel-even',
    severity: 'warning',
    message: `Of ${count} agents, half may vote for one answer and half for another.`,
    why: 'Then the answer of the agent that stands first in the file is taken.',
    fix: 'Say what is to be done then (`tie: first`, `ralph` or `synthesizer`), or make their number odd.',
    hats: [hat],
  };
}

const ALWAYS_FAILS = 'The panel would fail each time, whatever its agents do.';

function checkBounds({ input, hat, path, count }: CountedPanel, panel: DeclaredPanel): readonly Diagnostic[] {
  const { quorum, min_agents: minAgents = 1, max_answers_total: total } = panel;
  const tooMany = (key: 'quorum' | 'min_agents', message: string, why: string): readonly Diagnostic[] => {
    const finding = toBoundsFinding(hat, message, why, `Write at most ${count}, or add agents.`);
    return [findingAt(input, [...path, key], { ...finding, repairs: [toWordRepair(String(count), false)] })];
  };
  const isKnown = count >= MIN_PANEL_AGENTS;
  return [
    ...(isKnown && quorum !== undefined && quorum > count
      ? tooMany(
          'quorum',
          `${count} agents cannot give ${quorum} votes.`,
          'The first answer would be taken each time, whatever the agents vote.',
        )
      : []),
    ...(isKnown && minAgents > count ? tooMany('min_agents', `Of ${count} agents ${minAgents} cannot answer.`, ALWAYS_FAILS) : []),
    ...(total !== undefined && total < minAgents
      ? [
          findingBetween(
            input,
            [...path, 'max_answers_total'],
            toBoundsFinding(
              hat,
              `${minAgents} agents have to answer, and ${total === 1 ? 'one answer is' : `${total} answers are`} allowed.`,
              ALWAYS_FAILS,
              `Write at least ${minAgents}, or a smaller \`min_agents\`.`,
            ),
            [...path, 'min_agents'],
            'So many have to answer.',
          ),
        ]
      : []),
  ];
}

function toBoundsFinding(hat: string, message: string, why: string, fix: string): Finding {
  return { code: 'panel-bounds', severity: 'error', message, why, fix, hats: [hat] };
}
